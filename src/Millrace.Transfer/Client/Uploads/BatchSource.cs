using System.Buffers;
using System.Text.Encodings.Web;
using System.Text.Json;

namespace Millrace.Transfer;

/// <summary>The body of a request that brings several files: for each a line of JSON that describes it, then its bytes.</summary>
internal sealed class BatchSource : ContentSource
{
    /// <summary>Bytes of a line besides the name and tags, at most.</summary>
    private const int LineBytes = 256;

    // Names beyond ASCII, and digests, stay as short as they are.
    public static readonly JavaScriptEncoder Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping;

    private readonly List<UploadedFile> _files;
    private readonly ArrayBufferWriter<byte> _lines = new();
    private readonly int[] _lineEnds;
    private readonly IMemoryOwner<byte> _block = AlignedMemoryPool.Shared.Rent(BlockBytes);
    private readonly long _length;

    // The next byte: of the line or of the content of a file.
    private int _file;
    private int _offset;
    private long _position;

    public BatchSource(TransferName folder, List<UploadedFile> files)
    {
        _files = files;
        _lineEnds = new int[files.Count];
        using var json = new Utf8JsonWriter(_lines, new JsonWriterOptions { Encoder = Encoder, SkipValidation = true });
        for (int i = 0; i < files.Count; i++)
        {
            BatchLine.Write(_lines, json, Describe(files[i], folder), TransferJson.Default.BatchFileDocument);
            _lineEnds[i] = _lines.WrittenCount;
            _length += files[i].Content.Content.Length;
        }

        _length += _lines.WrittenCount;
    }

    /// <summary>Bytes of the line that describes a file, at most.</summary>
    public static int MaxLineBytes(TransferName name, WritePrecondition precondition) => LineBytes
        + JsonEncodedText.Encode(name.Value, Encoder).EncodedUtf8Bytes.Length
        + (precondition.Match is { } tags ? JsonEncodedText.Encode(string.Join(", ", tags), Encoder).EncodedUtf8Bytes.Length : 0);

    public override long? Length => _length;

    public override long Position => _position;

    public override bool CanSeek(long offset) => offset == 0;

    public override void Seek(long offset) => (_file, _offset, _position) = (0, 0, 0);

    public override ValueTask<ReadOnlyMemory<byte>> ReadAsync(CancellationToken cancellationToken)
    {
        Memory<byte> block = _block.Memory[..BlockBytes];
        int filled = 0;
        while (filled < block.Length && _file < _files.Count)
        {
            int lineStart = _file == 0 ? 0 : _lineEnds[_file - 1];
            int lineLength = _lineEnds[_file] - lineStart;
            ReadOnlyMemory<byte> content = _files[_file].Content.Content;
            ReadOnlyMemory<byte> rest = _offset < lineLength
                ? _lines.WrittenMemory.Slice(lineStart + _offset, lineLength - _offset)
                : content[(_offset - lineLength)..];
            int count = Math.Min(rest.Length, block.Length - filled);
            rest.Span[..count].CopyTo(block.Span[filled..]);
            filled += count;
            _offset += count;
            if (_offset == lineLength + content.Length)
            {
                _file++;
                _offset = 0;
            }
        }

        _position += filled;
        return ValueTask.FromResult<ReadOnlyMemory<byte>>(block[..filled]);
    }

    public override ValueTask DisposeAsync()
    {
        _block.Dispose();
        return default;
    }

    private static BatchFileDocument Describe(UploadedFile file, TransferName folder) => new()
    {
        Name = file.NameBelow(folder).ToString(),
        Length = file.Content.Content.Length,
        Modified = file.Options.NoTimes ? null : (file.Options.Modified ?? file.Content.Modified).ToString(),
        Executable = file.Options.IsExecutable,
        Sha256 = file.Sha256?.ToBase64(),
        IfMatch = file.Options.Precondition switch
        {
            { MustExist: true } => "*",
            { Match: { } tags } => string.Join(", ", tags),
            _ => null,
        },
        IfNoneMatch = file.Options.Precondition.CreateNew ? "*" : null,
    };
}
