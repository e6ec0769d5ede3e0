using Millrace.Transfer;

namespace Millrace.Cli.Remove;

/// <summary>A file that is to be deleted.</summary>
/// <param name="Client">Who deletes it.</param>
/// <param name="Name">Its name.</param>
/// <param name="Url">The same, as a URL.</param>
/// <param name="Bytes">Its length, where it was listed.</param>
internal sealed record RemoveItem(TransferClient Client, TransferName Name, string Url, long? Bytes);
