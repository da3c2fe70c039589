/// The version of this package's programs; `lab --version` reads it from this file.
package let packageVersion = "0.1.0"
