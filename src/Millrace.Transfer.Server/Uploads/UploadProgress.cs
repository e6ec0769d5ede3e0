namespace Millrace.Transfer.Server;

/// <summary>Sends how much of an upload is saved, as 104 responses with <c>Upload-Offset</c>, while its request runs.</summary>
/// <remarks>
/// Nothing waits for it: bytes are saved while others are received, and an offset is dropped if the one before it is not sent yet. So that
/// a client that does not read has room for all of them, there are 64 at most. An upload that takes less than a second has none: saving
/// costs the disk more than sending those bytes again.
/// </remarks>
internal sealed class UploadProgress
{
    /// <summary>Bytes between two offsets, at least: many more than a response takes.</summary>
    public const long MinStepBytes = 1024 * 1024;

    private const int MaxResponses = 64;

    private static readonly TimeSpan MinInterval = TimeSpan.FromSeconds(1);

    private readonly UploadCall _call;
    private readonly UploadWriter _writer;
    private readonly bool _hasLength;
    private long _step;
    private long _next;
    private long _sent;
    private long _lastSave;
    private Task<long>? _saving;
    private Task _sending = Task.CompletedTask;

    /// <param name="call">The request.</param>
    /// <param name="writer">The upload.</param>
    public UploadProgress(UploadCall call, UploadWriter writer)
    {
        _call = call;
        _writer = writer;
        _hasLength = call.Request.ContentLength is not null;
        _step = Math.Max(MinStepBytes, call.Request.ContentLength / MaxResponses ?? 0);
        _sent = writer.Offset;
        _next = _sent + _step;
        _lastSave = call.Options.TimeProvider.GetTimestamp();
    }

    /// <summary>Takes the next step, between two reads of the body.</summary>
    public void Report()
    {
        if (_saving is { IsCompleted: true } saved)
        {
            _saving = null;
            if (saved.IsCompletedSuccessfully && saved.Result > _sent && _sending.IsCompleted)
            {
                _sent = saved.Result;
                _sending = InterimResponse.TrySendOffsetAsync(_call.Context, _sent).AsTask();
            }
        }

        TimeProvider clock = _call.Options.TimeProvider;
        if (_saving is null && _writer.Offset >= _next && clock.GetElapsedTime(_lastSave) >= MinInterval)
        {
            _lastSave = clock.GetTimestamp();
            _saving = _writer.SaveReceivedAsync().AsTask();
            _step = _hasLength ? _step : 2 * _step;
            _next = _writer.Offset + _step;
        }
    }

    /// <summary>Waits until nothing is saved or sent any more, so that the response may begin.</summary>
    public async ValueTask EndAsync()
    {
        // What failed here fails again where it matters.
        await ((Task?)_saving ?? Task.CompletedTask).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await _sending.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }
}
