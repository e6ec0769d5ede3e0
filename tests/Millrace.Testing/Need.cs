namespace Millrace.Testing;

/// <summary>A requirement of a test. Each value has one check and one reason in <see cref="Needs"/>.</summary>
[Flags]
public enum Need : long
{
    None = 0,
    Unix = 1,
    Linux = 1 << 1,

    /// <summary>Linux with its own system calls, which <c>MILLRACE_PORTABLE=1</c> and <c>MILLRACE_MISSING=all</c> turn off.</summary>
    Native = 1 << 2,
    Root = 1 << 3,

    /// <summary>The right to mount a file system; containers often lack it even for root.</summary>
    Mount = 1 << 4,
    Ext4 = 1 << 5,
    Xfs = 1 << 6,
    Btrfs = 1 << 7,
    Bash = 1 << 8,
    Curl = 1 << 9,
    Wget = 1 << 10,
    Aria2 = 1 << 11,
    Rclone = 1 << 12,

    /// <summary>tus-js-client and Uppy, in Node.</summary>
    NodeClients = 1 << 13,
    Tuspy = 1 << 14,

    /// <summary>gRPC in Python and Node.</summary>
    GrpcPeers = 1 << 16,

    /// <summary>A Release build: in a Debug build every async method that waits allocates a state machine.</summary>
    Release = 1 << 17,

    /// <summary>The right to make network namespaces with interfaces, and iproute2.</summary>
    Namespaces = 1 << 18,

    /// <summary>The C library of Alpine Linux for this processor, and binutils to look into it.</summary>
    Musl = 1 << 19,

    /// <summary>Python, and the right to trace a process of the same user.</summary>
    Trace = 1 << 20,

    /// <summary>A C compiler for this processor.</summary>
    Compiler = 1 << 21,

    /// <summary>A C compiler for arm64, and an emulator of that processor.</summary>
    Arm64 = 1 << 22,

    /// <summary>What eng/publish.sh made for this processor's Linux.</summary>
    Published = 1 << 23,

    /// <summary>dpkg, lintian and systemd's checks of units.</summary>
    Debian = 1 << 24,

    /// <summary>What Windows has and Wine 8 lacks; met by every other system.</summary>
    Wine = 1 << 25,

    /// <summary>Programs that send many requests, or slow ones: h2load, nghttp, wrk, hey and slowhttptest.</summary>
    LoadTools = 1 << 26,

    /// <summary>The right to make symbolic links.</summary>
    Links = 1 << 27,

    /// <summary>A real S3 server, Ceph's object gateway, and s3cmd.</summary>
    Ceph = 1 << 29,

    /// <summary>nginx, which stands in front of several servers.</summary>
    Nginx = 1 << 30,

    /// <summary>A client that mirrors folders by their listings.</summary>
    Lftp = 1L << 31,

    /// <summary>Programs that unpack zip files: Python, Java, 7-Zip, bsdtar, unzip and busybox.</summary>
    Unpackers = 1L << 32,

    /// <summary>A compiler for Swift, installed or from eng/swift.sh.</summary>
    Swift = 1L << 33,

    /// <summary>Proxies other than nginx: Apache, Caddy and HAProxy.</summary>
    Proxies = 1L << 34,

    /// <summary>Clients of WebDAV: litmus, cadaver and rclone.</summary>
    DavClients = 1L << 36,

    /// <summary>davfs2, and the right to mount by it.</summary>
    DavMount = 1L << 37,

    /// <summary>rsync.</summary>
    Rsync = 1L << 38,
}
