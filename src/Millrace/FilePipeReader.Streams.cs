using System.IO.Pipelines;
using Millrace.Sources;

namespace Millrace;

/// <content>The reader as a stream.</content>
public sealed partial class FilePipeReader
{
    /// <summary>
    /// Returns the part of the file that was opened as a stream, which can seek and knows its length where the file has positions and is not
    /// followed. Stream and reader have one position: use one of them at a time.
    /// </summary>
    /// <param name="leaveOpen">Whether disposing the stream leaves the reader open.</param>
    public override Stream AsStream(bool leaveOpen = false) =>
        new FileStreamView(this, base.AsStream(leaveOpen), CanSeek && _source is not FollowSource);

    /// <summary>The framework's stream over a reader, with positions.</summary>
    private sealed class FileStreamView(FilePipeReader reader, Stream inner, bool canSeek) : Stream
    {
        public override bool CanRead => inner.CanRead;

        public override bool CanSeek => canSeek && inner.CanRead;

        public override bool CanWrite => false;

        public override long Length => canSeek ? reader.Length : throw CannotSeek();

        public override long Position
        {
            get => canSeek ? reader.Position - reader._source.File.Start : throw CannotSeek();
            set => Seek(value, SeekOrigin.Begin);
        }

        public override long Seek(long offset, SeekOrigin origin)
        {
            long from = origin switch
            {
                SeekOrigin.Begin => 0,
                SeekOrigin.Current => Position,
                SeekOrigin.End => Length,
                _ => throw new ArgumentOutOfRangeException(nameof(origin), origin, "It is not a defined origin."),
            };
            if (!canSeek)
            {
                throw CannotSeek();
            }

            long position = checked(from + offset);
            if (position < 0)
            {
                throw new IOException("The position would be before the start.");
            }

            reader.Seek(reader._source.File.Start + position);
            return position;
        }

        public override int Read(byte[] buffer, int offset, int count) => inner.Read(buffer, offset, count);

        public override int Read(Span<byte> buffer) => inner.Read(buffer);

        public override int ReadByte() => inner.ReadByte();

        public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
            inner.ReadAsync(buffer, offset, count, cancellationToken);

        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
            inner.ReadAsync(buffer, cancellationToken);

        public override IAsyncResult BeginRead(byte[] buffer, int offset, int count, AsyncCallback? callback, object? state) =>
            inner.BeginRead(buffer, offset, count, callback, state);

        public override int EndRead(IAsyncResult asyncResult) => inner.EndRead(asyncResult);

        public override Task CopyToAsync(Stream destination, int bufferSize, CancellationToken cancellationToken) =>
            inner.CopyToAsync(destination, bufferSize, cancellationToken);

        public override void Flush()
        {
        }

        public override void SetLength(long value) => throw new NotSupportedException("The stream is for reading.");

        public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException("The stream is for reading.");

        public override async ValueTask DisposeAsync()
        {
            await inner.DisposeAsync().ConfigureAwait(false);
            await base.DisposeAsync().ConfigureAwait(false);
        }

        protected override void Dispose(bool disposing)
        {
            if (disposing)
            {
                inner.Dispose();
            }

            base.Dispose(disposing);
        }

        private static NotSupportedException CannotSeek() => new("The file has no positions, or is followed.");
    }
}
