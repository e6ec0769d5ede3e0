namespace Millrace.Transfer;

/// <summary>What a request is for, as messages say it.</summary>
/// <param name="Verb">For example <c>Uploading</c>.</param>
/// <param name="Name">The file or folder.</param>
/// <param name="Wire">How.</param>
internal readonly record struct WireCall(string Verb, string Name, TransferWire Wire);
