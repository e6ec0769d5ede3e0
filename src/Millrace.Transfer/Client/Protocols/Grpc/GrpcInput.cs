using System.Buffers;
using System.Globalization;
using System.Runtime.CompilerServices;
using System.Text;

namespace Millrace.Transfer;

/// <summary>The bytes of an answer, as gRPC, gRPC-Web or its text form bring them, and its trailers.</summary>
/// <remarks>Not thread-safe. Owns the response.</remarks>
internal sealed class GrpcInput : IDisposable
{
    /// <summary>Bytes that are read ahead at most, where it is not known whose they are.</summary>
    public const int AsideBytes = 16 * 1024;

    /// <summary>Bytes of trailers at most, as HTTP libraries take them.</summary>
    private const int MaxTrailers = 64 * 1024;

    private readonly HttpResponseMessage _response;
    private readonly Stream _stream;
    private readonly IdleWatch _watch;
    private readonly ProtocolCall _call;
    private readonly byte[] _prefix = new byte[FramePrefix.Bytes];
    private Dictionary<string, string>? _webTrailers;
    private byte[] _aside = ArrayPool<byte>.Shared.Rent(AsideBytes);
    private int _start;
    private int _end;

    public GrpcInput(HttpResponseMessage response, Stream stream, ProtocolCall call, IdleWatch watch)
    {
        _response = response;
        _stream = call.Protocol == TransferProtocol.GrpcWebText ? new Base64Stream(stream) : stream;
        _call = call;
        _watch = watch;
        IsWeb = call.Protocol != TransferProtocol.Grpc;
        IsGzip = Fields.Text(response, GrpcFields.Encoding) is GrpcFields.Gzip;
    }

    /// <summary>Whether the trailers are a frame.</summary>
    public bool IsWeb { get; }

    /// <summary>Whether messages with the flag are compressed with gzip; without it none may have the flag.</summary>
    public bool IsGzip { get; }

    /// <summary>The answer.</summary>
    public HttpResponseMessage Response => _response;

    /// <summary>The bytes read ahead.</summary>
    public ReadOnlyMemory<byte> Aside => _aside.AsMemory(_start, _end - _start);

    /// <summary>The status of an answer that has nothing else.</summary>
    public GrpcStatus? StatusInHeaders =>
        _response.Headers.TryGetValues(GrpcFields.Status, out IEnumerable<string>? values) ? Parse(values.First()) : null;

    /// <summary>The status so far; null before it came.</summary>
    public GrpcStatus? Status => Field(GrpcFields.Status) is { } text ? Parse(text) : null;

    /// <summary>Bytes that were read ahead are used.</summary>
    public void Skip(int bytes) => _start += bytes;

    /// <summary>Keeps the excess bytes of a read. Nothing may be kept already.</summary>
    public void Keep(ReadOnlySpan<byte> surplus)
    {
        surplus.CopyTo(_aside);
        _start = 0;
        _end = surplus.Length;
    }

    /// <summary>Reads ahead. Nothing may be aside.</summary>
    /// <param name="most">Bytes at most, 3 to <see cref="AsideBytes"/>.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <returns>False at the end.</returns>
    public async ValueTask<bool> FillAsync(int most, CancellationToken cancellationToken)
    {
        _start = 0;
        _end = 0;
        _end = await ReadAsync(_aside.AsMemory(0, most), cancellationToken).ConfigureAwait(false);
        return _end > 0;
    }

    /// <summary>Reads straight into the memory, which has three bytes or more. Nothing may be aside.</summary>
    /// <returns>0 at the end.</returns>
    public ValueTask<int> ReadAsync(Memory<byte> memory, CancellationToken cancellationToken)
    {
        _watch.Touch();
        return _stream.ReadAsync(memory, cancellationToken);
    }

    /// <summary>Looks whether a message follows; if none does, the trailers are known afterwards.</summary>
    public async ValueTask<bool> HasMessageAsync(int most, CancellationToken cancellationToken)
    {
        if (_start == _end && !await FillAsync(most, cancellationToken).ConfigureAwait(false))
        {
            return false;
        }

        if (!IsWeb || (_aside[_start] & FramePrefix.Trailers) == 0)
        {
            return true;
        }

        await ReadWebTrailersAsync(cancellationToken).ConfigureAwait(false);
        return false;
    }

    /// <summary>Reads the prefix of a message; null at the end.</summary>
    public async ValueTask<FramePrefix?> ReadPrefixAsync(CancellationToken cancellationToken)
    {
        if (!await HasMessageAsync(AsideBytes, cancellationToken).ConfigureAwait(false))
        {
            return null;
        }

        await ReadExactlyAsync(_prefix, cancellationToken).ConfigureAwait(false);
        FramePrefix prefix = FramePrefix.Read(_prefix);
        if (prefix.Flags > FramePrefix.Compressed)
        {
            throw new GrpcFault(GrpcStatus.Internal, $"a frame has the flags 0x{prefix.Flags:x2}");
        }

        return prefix;
    }

    /// <summary>Fills the memory.</summary>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public async ValueTask ReadExactlyAsync(Memory<byte> memory, CancellationToken cancellationToken)
    {
        while (!memory.IsEmpty)
        {
            int bytes = Math.Min(_end - _start, memory.Length);
            if (bytes > 0)
            {
                Aside[..bytes].CopyTo(memory);
                _start += bytes;
            }
            else if (memory.Length < AsideBytes)
            {
                if (!await FillAsync(AsideBytes, cancellationToken).ConfigureAwait(false))
                {
                    throw Cut();
                }
            }
            else
            {
                bytes = await ReadAsync(memory, cancellationToken).ConfigureAwait(false);
                if (bytes == 0)
                {
                    throw Cut();
                }
            }

            memory = memory[bytes..];
        }
    }

    /// <summary>A trailer, or a field of an answer that has nothing else; null where there is none.</summary>
    public string? Field(string name)
    {
        if (_webTrailers is not null && _webTrailers.TryGetValue(name, out string? text))
        {
            return text;
        }

        return _response.TrailingHeaders.TryGetValues(name, out IEnumerable<string>? values)
            || _response.Headers.TryGetValues(name, out values)
            ? string.Join(", ", values)
            : null;
    }

    /// <summary>At the end of the answer: throws unless the call was done.</summary>
    public void ThrowUnlessOk()
    {
        GrpcStatus status = Status ?? throw Failures.Protocol(_call, "the answer ended without a status");
        if (status != GrpcStatus.Ok)
        {
            throw GrpcRefusals.Make(status, Field, _call, _response.StatusCode);
        }
    }

    /// <summary>An answer that ended too early.</summary>
    public TransferException Cut() => Failures.Disconnected(_call, null, "the answer ended within a message");

    public void Dispose()
    {
        _response.Dispose();
        _stream.Dispose();
        if (_aside.Length > 0)
        {
            ArrayPool<byte>.Shared.Return(_aside);
            _aside = [];
            _start = 0;
            _end = 0;
        }
    }

    private static GrpcStatus Parse(string text) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int status) ? (GrpcStatus)status : GrpcStatus.Unknown;

    private async ValueTask ReadWebTrailersAsync(CancellationToken cancellationToken)
    {
        await ReadExactlyAsync(_prefix, cancellationToken).ConfigureAwait(false);
        FramePrefix prefix = FramePrefix.Read(_prefix);
        if (prefix.Flags != FramePrefix.Trailers || prefix.Length > MaxTrailers)
        {
            throw new GrpcFault(
                GrpcStatus.Internal, $"the trailers have the flags 0x{prefix.Flags:x2} and {prefix.Length} bytes");
        }

        byte[] text = new byte[prefix.Length];
        await ReadExactlyAsync(text, cancellationToken).ConfigureAwait(false);
        _webTrailers = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);
        foreach (string line in Encoding.Latin1.GetString(text).Split('\n', StringSplitOptions.RemoveEmptyEntries))
        {
            int colon = line.IndexOf(':', StringComparison.Ordinal);
            if (colon > 0)
            {
                _webTrailers[line[..colon].Trim()] = line[(colon + 1)..].Trim();
            }
        }

        if (_start != _end || await FillAsync(AsideBytes, cancellationToken).ConfigureAwait(false))
        {
            throw new GrpcFault(GrpcStatus.Internal, "something follows the trailers");
        }
    }
}
