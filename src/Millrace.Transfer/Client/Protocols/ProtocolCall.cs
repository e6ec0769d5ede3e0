namespace Millrace.Transfer;

/// <summary>What a request is for, as messages say it.</summary>
/// <param name="Verb">For example <c>Uploading</c>.</param>
/// <param name="Name">The file or folder.</param>
/// <param name="Protocol">How.</param>
internal readonly record struct ProtocolCall(string Verb, string Name, TransferProtocol Protocol);
