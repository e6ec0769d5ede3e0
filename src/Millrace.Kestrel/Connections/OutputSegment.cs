using Microsoft.Win32.SafeHandles;

namespace Millrace.Kestrel;

/// <summary>A part of a connection's output: bytes of a block, or a range of a file.</summary>
internal sealed class OutputSegment
{
    /// <summary>The block, or null for a file.</summary>
    public Block? Block { get; private set; }

    /// <summary>The file, held so that its owner may dispose it, or null for memory.</summary>
    public SafeFileHandle? File { get; private set; }

    /// <summary>The first byte that was not sent, in the block or in the file.</summary>
    public long Start { get; set; }

    /// <summary>Behind the last byte to send.</summary>
    public long End { get; set; }

    /// <summary>How many bytes of the file after <see cref="End"/> may be sent already, because they will be written next.</summary>
    public long Ahead { get; set; }

    /// <summary>Whether sendfile(2) refused the file, so that it is copied.</summary>
    public bool IsCopied { get; set; }

    public OutputSegment? Next { get; set; }

    public void Hold(Block block) => Block = block;

    public void Hold(SafeFileHandle file, long offset, long count, long ahead)
    {
        bool held = false;
        file.DangerousAddRef(ref held);
        File = file;
        Start = offset;
        End = offset + count;
        Ahead = ahead;
    }

    public void Release()
    {
        Block?.Dispose();
        Block = null;
        File?.DangerousRelease();
        File = null;
        Start = End = Ahead = 0;
        IsCopied = false;
        Next = null;
    }
}

/// <summary>The parts of a connection's output in their order. A mutable struct of its owner, which calls it under a lock.</summary>
internal struct SegmentQueue
{
    private const int MaxSpares = 16;

    private OutputSegment? _spare;
    private int _spares;

    public OutputSegment? Head { get; private set; }

    public OutputSegment? Tail { get; private set; }

    /// <summary>How many of them are ranges of files.</summary>
    public int Files { get; set; }

    public OutputSegment Append()
    {
        OutputSegment segment = _spare ?? new OutputSegment();
        if (_spare is not null)
        {
            _spare = segment.Next;
            segment.Next = null;
            _spares--;
        }

        if (Tail is null)
        {
            Head = segment;
        }
        else
        {
            Tail.Next = segment;
        }

        return Tail = segment;
    }

    public void RemoveHead()
    {
        OutputSegment head = Head!;
        Files -= head.File is null ? 0 : 1;
        Head = head.Next;
        if (Head is null)
        {
            Tail = null;
        }

        head.Release();
        if (_spares < MaxSpares)
        {
            head.Next = _spare;
            _spare = head;
            _spares++;
        }
    }
}
