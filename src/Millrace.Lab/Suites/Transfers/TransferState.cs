namespace Millrace.Lab.Suites.Transfers;

/// <summary>Also reads the meters of the server and of the link around an invocation.</summary>
internal sealed class TransferState(TransferCase planned, CacheControl? cache) : CaseState(planned, cache)
{
    private ServerReading? _before;
    private ServerUse? _server;
    private double? _linkShare;

    // The server across a link, which is asked past the relay, and the link itself.
    private LinkAddress? _link;
    private LinkWatch? _watch;

    public override ServerUse? Server => _server;

    public override double? LinkShare => _linkShare;

    private Uri? MeterAddress => _link?.Meters ?? planned.Ends.Server;

    public override string? Prepare()
    {
        string? violation = base.Prepare();
        if (_link is null && planned.Ends is { Server: { } near, Link: { } link })
        {
            _link = LinkEndpoints.Find(near, link);
            _watch = new LinkWatch(_link.Interface, planned.Direction, link.BitsPerSecond);
        }

        // Last: the preparation is not part of the transfer.
        _before = MeterAddress is { } server ? ServerMeters.Begin(server) : null;
        _watch?.Begin();
        return violation;
    }

    public override void Finish()
    {
        _linkShare = _watch?.End(planned.Source.Bytes);
        _server = _before is not null && MeterAddress is { } server
            ? ServerUse.Between(_before, ServerMeters.End(server))
            : null;
        base.Finish();
    }

    public override long? ServerLargeObjects() =>
        MeterAddress is { } server ? ServerMeters.LargeObjectBytes(server) : null;
}
