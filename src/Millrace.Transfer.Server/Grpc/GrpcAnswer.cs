using System.Globalization;
using System.Text;
using Google.Protobuf;

namespace Millrace.Transfer.Server;

/// <summary>The response of a call: messages, then a status; without messages the status is in the headers.</summary>
internal sealed class GrpcAnswer
{
    private const string Accepted = $"{GrpcFields.Identity},{GrpcFields.Gzip}";
    private const string Success = "0";

    /// <summary>Bytes that are gathered for one write, of everything but a file: as much as Kestrel lets wait to be sent.</summary>
    private const int WriteBytes = 64 * 1024;

    private readonly GrpcCall _call;
    private readonly string _contentType;
    private Base64PipeWriter? _text;
    private PipeWriter? _body;
    private bool _isPlanned;
    private long _unflushed;

    public GrpcAnswer(GrpcCall call, string contentType)
    {
        _call = call;
        _contentType = contentType;
    }

    /// <summary>Where frames go, once it has begun.</summary>
    public PipeWriter Body => _body!;

    /// <summary>Entries that a listing leaves out, which its trailers say.</summary>
    public OmittedEntries Omitted { get; set; }

    private HttpResponse Response => _call.Context.Response;

    /// <summary>Begins the response: before that, Kestrel lends a buffer that it copies from.</summary>
    /// <param name="bytes">Bytes of all its messages with their prefixes; null where unknown.</param>
    public Task BeginAsync(long? bytes = null)
    {
        AddFields();
        if (_call.SendsGzip)
        {
            Response.Headers[GrpcFields.Encoding] = GrpcFields.Gzip;
        }

        _body = new ResponseWriter(_call.HasDeadline ? new LateWriter(Response.BodyWriter) : Response.BodyWriter);
        if (_call.Form == GrpcForm.WebText)
        {
            _body = _text = new Base64PipeWriter(_body);
        }

        if (bytes is { } known && _call.Form != GrpcForm.Http2 && !_call.HasDeadline)
        {
            // Chunked coding costs both ends.
            long length = known + FramePrefix.Bytes + Fields(Success, problem: null).Length;
            Response.ContentLength = _text is null ? length : Base64PipeWriter.Encoded(length);
            _isPlanned = true;
        }

        return Response.StartAsync(_call.Ended);
    }

    /// <summary>Bytes of a message with its prefix.</summary>
    public static int BytesOf(IMessage message) => FramePrefix.Bytes + message.CalculateSize();

    /// <summary>Writes a message.</summary>
    public void Write(IMessage message)
    {
        int bytes = message.CalculateSize();
        Span<byte> frame = Body.GetSpan(FramePrefix.Bytes + bytes);
        new FramePrefix(0, (uint)bytes).Write(frame);
        message.WriteTo(frame.Slice(FramePrefix.Bytes, bytes));
        Body.Advance(FramePrefix.Bytes + bytes);
        _unflushed += FramePrefix.Bytes + bytes;
    }

    /// <summary>Writes one of many messages, and sends them when there are enough for a write.</summary>
    public ValueTask WriteManyAsync(IMessage message)
    {
        Write(message);
        return _unflushed < WriteBytes ? default : FlushAsync();
    }

    /// <summary>Sends the written bytes; nothing of a message waits for another.</summary>
    public async ValueTask FlushAsync()
    {
        _text?.Pad();
        _unflushed = 0;
        await Body.FlushAsync(_call.Ended);
    }

    /// <summary>The one message of an answer.</summary>
    public async Task SendAsync(IMessage message)
    {
        await BeginAsync(BytesOf(message));
        Write(message);
    }

    /// <summary>Ends it well.</summary>
    public async Task EndAsync()
    {
        _call.Context.Features.Get<TransferObservation>()?.Answered(GrpcStatus.Ok);
        if (_body is null)
        {
            // A stream of no messages.
            await BeginAsync(0);
        }

        if (_call.Form == GrpcForm.Http2)
        {
            foreach ((string name, string value) in Trailers(Success, problem: null))
            {
                Response.AppendTrailer(name, value);
            }

            return;
        }

        await WriteTrailersAsync(Fields(Success, problem: null));
    }

    /// <summary>Ends it otherwise.</summary>
    public async Task FailAsync(GrpcProblem problem)
    {
        string status = ((int)problem.Status).ToString(CultureInfo.InvariantCulture);
        _call.Context.Features.Get<TransferObservation>()?.Answered(problem.Status, problem.HttpStatus);
        if (!Response.HasStarted)
        {
            // Trailers-Only: one block of fields, and no body.
            AddFields();
            if (problem.HttpStatus == StatusCodes.Status421MisdirectedRequest)
            {
                // For browsers and proxies too, which do not look at the fields. A client of gRPC does (grpc-status comes first).
                Response.StatusCode = problem.HttpStatus;
            }

            foreach ((string name, string value) in Trailers(status, problem))
            {
                Response.Headers[name] = value;
            }

            Response.ContentLength = _call.Form == GrpcForm.Http2 ? null : 0;
        }
        else if (_isPlanned)
        {
            // Its length was declared already; only the end of the connection shows that it is incomplete.
            TransferObservation.Cut(_call.Context);
        }
        else if (_call.Form == GrpcForm.Http2)
        {
            foreach ((string name, string value) in Trailers(status, problem))
            {
                Response.AppendTrailer(name, value);
            }
        }
        else
        {
            await WriteTrailersAsync(Fields(status, problem));
        }
    }

    private IEnumerable<(string Name, string Value)> Trailers(string status, GrpcProblem? problem)
    {
        yield return (GrpcFields.Status, status);
        foreach ((string name, int count) in ((string, int)[])
        [
            (GrpcFields.Omitted, problem?.Omitted ?? Omitted.Total), (GrpcFields.OmittedNames, Omitted.Names),
            (GrpcFields.OmittedKinds, Omitted.Kinds), (GrpcFields.OmittedUnreadable, Omitted.Unreadable),
            (GrpcFields.Hidden, problem?.Hidden ?? 0),
        ])
        {
            if (count > 0)
            {
                yield return (name, count.ToString(CultureInfo.InvariantCulture));
            }
        }

        if (problem is not { } failed)
        {
            yield break;
        }

        yield return (GrpcFields.Message, GrpcText.Encode(failed.Message));
        yield return (GrpcFields.Details, failed.ToDetails());
        if (failed.Error is { } error)
        {
            yield return (GrpcFields.Error, ErrorCode.Of(error));
        }

        if (failed.Offset is { } offset)
        {
            yield return (GrpcFields.Offset, offset.ToString(CultureInfo.InvariantCulture));
        }

        if (failed.RetryAfter is { } wait)
        {
            yield return (GrpcFields.RetryAfter, Math.Ceiling(wait.TotalSeconds).ToString(CultureInfo.InvariantCulture));
        }
    }

    /// <summary>The same as gRPC-Web has them in the body.</summary>
    private string Fields(string status, GrpcProblem? problem) =>
        string.Concat(Trailers(status, problem).Select(static field => $"{field.Name}:{field.Value}\r\n"));

    private void AddFields()
    {
        Response.ContentType = _contentType;
        Response.Headers[GrpcFields.AcceptEncoding] = Accepted;
        if (_call.Form != GrpcForm.Http2)
        {
            Response.Headers.CacheControl = "no-store";
            Response.Headers.XContentTypeOptions = "nosniff";
            FileFields.PassOn(Response.Headers);
        }
    }

    private async Task WriteTrailersAsync(string fields)
    {
        int bytes = Encoding.ASCII.GetByteCount(fields);
        Span<byte> frame = Body.GetSpan(FramePrefix.Bytes + bytes);
        new FramePrefix(FramePrefix.Trailers, (uint)bytes).Write(frame);
        Encoding.ASCII.GetBytes(fields, frame[FramePrefix.Bytes..]);
        Body.Advance(FramePrefix.Bytes + bytes);
        _text?.Pad();
        await Body.FlushAsync(_call.Context.RequestAborted);
    }
}
