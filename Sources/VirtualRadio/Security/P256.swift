/// The elliptic curve P-256 and its Diffie-Hellman keys. (FIPS 186-4, D.1.2.3; SEC 1, 2.2 and 3.3.1)
///
/// It is for hosts that let their controller compute keys, now and then, and there is nothing to keep secret: its time
/// depends on the key.
enum P256 {
    /// A point that is not the one at infinity.
    struct Point: Equatable {
        var x: FieldElement
        var y: FieldElement

        /// y² = x³ − 3 x + b.
        var isOnCurve: Bool { y * y == x * x * x - (x + x + x) + P256.b }
    }

    /// The point that public keys are multiples of.
    static let generator = Point(
        x: FieldElement([0xF4A1_3945_D898_C296, 0x7703_7D81_2DEB_33A0, 0xF8BC_E6E5_63A4_40F2, 0x6B17_D1F2_E12C_4247]),
        y: FieldElement([0xCBB6_4068_37BF_51F5, 0x2BCE_3357_6B31_5ECE, 0x8EE7_EB4A_7C0F_9E16, 0x4FE3_42E2_FE1A_7F9B]))
    static let b = FieldElement([
        0x3BCE_3C3E_27D2_604B, 0x651D_06B0_CC53_B0F6, 0xB3EB_BD55_7698_86BC, 0x5AC6_35D8_AA3A_93E7,
    ])

    /// A point times a number, or `nil` for the point at infinity.
    static func multiply(_ point: Point, _ factor: SIMD4<UInt64>) -> Point? {
        var result: ProjectivePoint?
        let point = ProjectivePoint(point)
        for place in stride(from: 255, through: 0, by: -1) {
            result = result?.doubled()
            guard factor[place / 64] >> UInt64(place % 64) & 1 == 1 else { continue }
            result = if let sum = result { sum.adding(point) } else { point }
        }
        return result?.affine
    }

    /// A point as x = X / Z², y = Y / Z³, so that only the end needs a division.
    private struct ProjectivePoint {
        var x: FieldElement
        var y: FieldElement
        var z: FieldElement

        init(_ point: Point) {
            self.init(x: point.x, y: point.y, z: FieldElement([1, 0, 0, 0]))
        }

        init(x: FieldElement, y: FieldElement, z: FieldElement) {
            self.x = x
            self.y = y
            self.z = z
        }

        var affine: Point {
            let inverse = z.inverse
            let square = inverse * inverse
            return Point(x: x * square, y: y * square * inverse)
        }

        /// No point of this curve is its own opposite, so that the result is not at infinity.
        func doubled() -> ProjectivePoint {
            let zz = z * z
            let yy = y * y
            let xyy = x * yy
            let xyy4 = (xyy + xyy) + (xyy + xyy)
            let product = (x - zz) * (x + zz)
            let slope = product + product + product
            let newX = slope * slope - (xyy4 + xyy4)
            let yz = y * z
            let yyyy2 = yy * yy + yy * yy
            let yyyy4 = yyyy2 + yyyy2
            return ProjectivePoint(x: newX, y: slope * (xyy4 - newX) - (yyyy4 + yyyy4), z: yz + yz)
        }

        /// `nil`: the point at infinity.
        func adding(_ other: ProjectivePoint) -> ProjectivePoint? {
            let zz = z * z
            let otherZZ = other.z * other.z
            let first = x * otherZZ
            let run = other.x * zz - first
            let start = y * other.z * otherZZ
            let rise = other.y * z * zz - start
            guard run != .zero else { return rise == .zero ? doubled() : nil }
            let square = run * run
            let cube = square * run
            let middle = first * square
            let newX = rise * rise - cube - (middle + middle)
            return ProjectivePoint(x: newX, y: rise * (middle - newX) - start * cube, z: z * other.z * run)
        }
    }
}
