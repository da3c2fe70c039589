/// The files of the page, which are inside the program.
enum PageFiles {
    /// The answer to a request for a file; nil if there is none of that path.
    static func response(_ path: String) -> HTTPResponse? {
        guard let file = files[path] else { return nil }
        var response = HTTPResponse(.ok, type: file.type, body: file.content)
        response.fields += [
            (
                "Content-Security-Policy",
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
                    + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
            )
        ]
        return response
    }

    private static let script = "text/javascript; charset=utf-8"

    private static var files: [String: (type: String, content: [UInt8])] {
        [
            "/": ("text/html; charset=utf-8", PackageResources.index_html),
            "/icon.svg": ("image/svg+xml", PackageResources.icon_svg),
            "/style.css": ("text/css; charset=utf-8", PackageResources.style_css),
            "/controls.css": ("text/css; charset=utf-8", PackageResources.controls_css),
            "/main.js": (script, PackageResources.main_js),
            "/access.js": (script, PackageResources.access_js),
            "/stream.js": (script, PackageResources.stream_js),
            "/elements.js": (script, PackageResources.elements_js),
            "/cards.js": (script, PackageResources.cards_js),
            "/plot.js": (script, PackageResources.plot_js),
            "/adjust.js": (script, PackageResources.adjust_js),
            "/centrals.js": (script, PackageResources.centrals_js),
            "/faults.js": (script, PackageResources.faults_js),
            "/actions.js": (script, PackageResources.actions_js),
            "/log.js": (script, PackageResources.log_js),
            "/pairing.js": (script, PackageResources.pairing_js),
            "/map.js": (script, PackageResources.map_js),
        ]
    }
}
