namespace Millrace.Transfer;

/// <summary>How far the server is with an upload.</summary>
/// <param name="Offset">Bytes that it has.</param>
/// <param name="Complete">Whether it published them.</param>
internal readonly record struct UploadPosition(long Offset, bool Complete);
