namespace Millrace.Transfer.Server;

/// <summary>How the bytes of one request are checked.</summary>
internal enum ChecksumAlgorithm
{
    /// <summary>FIPS 180-4.</summary>
    Sha256,

    /// <summary>FIPS 180-4; tus wants every server to have it. Good against accidents, not against attackers.</summary>
    Sha1,

    /// <summary>IEEE 802.3, written with its highest byte first.</summary>
    Crc32,
}
