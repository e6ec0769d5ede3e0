namespace Millrace;

/// <content>Where the reader is, and moving it.</content>
public sealed partial class FilePipeReader
{
    /// <summary>Whether the file has positions: false for a FIFO, a socket, a terminal.</summary>
    public bool CanSeek => _source.File.CanSeek;

    /// <summary>
    /// Bytes of the part of the file that is to be read, as it was when opened; in follow mode, as it is now.
    /// </summary>
    /// <exception cref="NotSupportedException"><see cref="CanSeek"/> is false.</exception>
    public long Length
    {
        get
        {
            ThrowIfCannotSeek();
            return Math.Max(0, Math.Min(_source.File.CurrentSize, _source.File.Limit) - _source.File.Start);
        }
    }

    /// <summary>
    /// Where in the file the first byte is that is not consumed yet, in bytes from the start of the file; for a file
    /// without positions, how many bytes were consumed; if the file is followed by name, of all files of that name.
    /// </summary>
    public long Position => _window.StartOffset;

    /// <summary>
    /// Goes on reading elsewhere. Buffers handed out before are no longer valid. Bytes in memory are not read again.
    /// </summary>
    /// <param name="offset">
    /// Bytes from the start of the file, within the part that was opened. After the end of the file the next read reports
    /// that the pipe is completed.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">
    /// <paramref name="offset"/> lies outside the part of the file that was opened.
    /// </exception>
    /// <exception cref="NotSupportedException">
    /// <see cref="CanSeek"/> is false, or the file is followed by its name.
    /// </exception>
    /// <exception cref="InvalidOperationException">The reader is completed, or a read is pending.</exception>
    public void Seek(long offset)
    {
        ThrowIfUnusable();
        ThrowIfCannotSeek();
        if (offset < _source.File.Start || offset > _source.File.Limit)
        {
            throw new ArgumentOutOfRangeException(
                nameof(offset),
                offset,
                $"The offset is outside the part of '{Path}' that was opened, which begins at {_source.File.Start} and "
                    + (_source.File.Limit == long.MaxValue ? "goes on to the end of the file." : $"ends at {_source.File.Limit}."));
        }

        if (offset >= _window.StartOffset && offset <= _window.EndOffset && _window.Block is { } block)
        {
            _window.Start = _window.End - (int)(_window.EndOffset - offset);
            block.RenewSegment();
        }
        else
        {
            // In this order: a source that cannot seek throws before anything is given up.
            _source.Seek(offset);
            _source.ReleaseWindow(ref _window);
            _window.EndOffset = offset;
            _ended = false;
        }

        _served = 0;
        _examined = 0;
    }

    /// <summary>The next read returns the bytes in memory, whether they were examined before or not.</summary>
    internal void ForgetExamined() => _examined = 0;

    private void ThrowIfCannotSeek()
    {
        if (!_source.File.CanSeek)
        {
            throw new NotSupportedException($"'{Path}' has no positions: it is a FIFO, a socket or a terminal.");
        }
    }
}
