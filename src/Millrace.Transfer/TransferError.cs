namespace Millrace.Transfer;

/// <summary>Why a transfer was refused or failed; the same on every protocol, and on both ends of it.</summary>
public enum TransferError
{
    /// <summary>Something else; see the message and the inner exception.</summary>
    Failed,

    /// <summary>There is no such file, folder or upload.</summary>
    NotFound,

    /// <summary>The name is not one that a store takes: <see cref="TransferName"/>.</summary>
    InvalidName,

    /// <summary>The request itself is wrong: a header that cannot be read, an option that contradicts another.</summary>
    InvalidRequest,

    /// <summary>The name is taken, and the request was for a new file.</summary>
    AlreadyExists,

    /// <summary>The file is not, or no longer, the version that the request names.</summary>
    PreconditionFailed,

    /// <summary>No byte of the asked range is in the file.</summary>
    RangeNotSatisfiable,

    /// <summary>The received bytes do not have the declared digest.</summary>
    DigestMismatch,

    /// <summary>An upload is not at the offset at which the request would continue it.</summary>
    OffsetMismatch,

    /// <summary>The upload has all its bytes already, or was published.</summary>
    UploadComplete,

    /// <summary>Another request has taken the upload over; this one may not write any more.</summary>
    Superseded,

    /// <summary>More bytes than one file, or one request, may have.</summary>
    TooLarge,

    /// <summary>No room for it: the device, a quota, or the store's own limit.</summary>
    NoSpace,

    /// <summary>No token, an unknown one, or one that has expired.</summary>
    Unauthorized,

    /// <summary>The token does not allow this.</summary>
    Forbidden,

    /// <summary>Too many transfers at once, or too many unfinished uploads; try again after a while.</summary>
    TooManyTransfers,

    /// <summary>Bytes came, or went, more slowly than the other side accepts.</summary>
    TooSlow,

    /// <summary>The connection could not be made, or ended early.</summary>
    Disconnected,

    /// <summary>The other side does not speak as it should: not a Millrace server, or a proxy between that changes things.</summary>
    Protocol,

    /// <summary>The protocol that was asked for is not offered by this server.</summary>
    ProtocolNotOffered,

    /// <summary>The file changed while it was being transferred.</summary>
    Changed,

    /// <summary>The server's storage does not answer, is overloaded, or refuses the server; try again after a while.</summary>
    Unavailable,
}
