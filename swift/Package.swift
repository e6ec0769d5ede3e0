// swift-tools-version:5.9
import PackageDescription

let package = Package(
    name: "UrlSessionBytes",
    platforms: [.macOS(.v12)],
    targets: [
        .target(name: "UrlSessionBytes"),
        .executableTarget(name: "url-session-bytes", dependencies: ["UrlSessionBytes"]),
        .testTarget(name: "UrlSessionBytesTests", dependencies: ["UrlSessionBytes"]),
    ]
)
