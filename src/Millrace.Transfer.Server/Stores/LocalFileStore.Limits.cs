namespace Millrace.Transfer.Server;

/// <content>What endpoints tell clients beforehand.</content>
public sealed partial class LocalFileStore
{
    /// <inheritdoc/>
    public long? MaxFileBytes => Options.MaxFileBytes;
}
