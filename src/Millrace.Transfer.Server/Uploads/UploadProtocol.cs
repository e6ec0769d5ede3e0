namespace Millrace.Transfer.Server;

/// <summary>What a request to an upload is written in.</summary>
internal enum UploadProtocol
{
    /// <summary>tus 1.0.0, known by its field <c>Tus-Resumable</c>.</summary>
    Tus,

    /// <summary>The IETF draft "Resumable Uploads for HTTP".</summary>
    Draft,
}
