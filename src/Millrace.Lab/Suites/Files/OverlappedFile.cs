using System.Buffers;
using System.ComponentModel;
using System.Threading.Tasks.Sources;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Lab.Suites.Files;

/// <summary>
/// A file that is read by overlapped reads, whose completions the thread pool gets from a port: what corefxlab's reader
/// of files did. Reads one after the other, from the beginning; not thread-safe.
/// </summary>
[SupportedOSPlatform("windows")]
internal sealed unsafe partial class OverlappedFile : Stream, IValueTaskSource<int>
{
    private const uint GenericRead = 0x80000000;
    private const uint ShareRead = 1;
    private const uint OpenExisting = 3;
    private const uint FlagOverlapped = 0x40000000;
    private const int ErrorHandleEof = 38;
    private const int ErrorIoPending = 997;

    private readonly SafeFileHandle _file;
    private readonly ThreadPoolBoundHandle _bound;
    private readonly PreAllocatedOverlapped _overlapped;
    private MemoryHandle _pinned;
    private ManualResetValueTaskSourceCore<int> _read;
    private long _offset;

    /// <exception cref="Win32Exception">It cannot be opened.</exception>
    public OverlappedFile(string path)
    {
        // A handle that .NET opens for asynchronous reads is bound to its own port.
        _file = CreateFile(path, GenericRead, ShareRead, 0, OpenExisting, FlagOverlapped, 0);
        if (_file.IsInvalid)
        {
            throw new Win32Exception();
        }

        _bound = ThreadPoolBoundHandle.BindHandle(_file);
        _overlapped = new PreAllocatedOverlapped(
            static (error, bytes, overlapped) => ((OverlappedFile)ThreadPoolBoundHandle.GetNativeOverlappedState(overlapped)!)
                .Complete((int)error, (int)bytes, overlapped),
            this,
            pinData: null);
    }

    public override bool CanRead => true;
    public override bool CanSeek => false;
    public override bool CanWrite => false;
    public override long Length => throw new NotSupportedException();
    public override long Position { get => _offset; set => throw new NotSupportedException(); }

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        _read.Reset();
        _pinned = buffer.Pin();
        NativeOverlapped* overlapped = _bound.AllocateNativeOverlapped(_overlapped);
        overlapped->OffsetLow = (int)_offset;
        overlapped->OffsetHigh = (int)(_offset >> 32);

        // A read that succeeds at once completes through the port as well.
        if (!ReadFile(_file, _pinned.Pointer, buffer.Length, null, overlapped)
            && Marshal.GetLastPInvokeError() is var error and not ErrorIoPending)
        {
            Complete(error, 0, overlapped);
        }

        return new ValueTask<int>(this, _read.Version);
    }

    public int GetResult(short token) => _read.GetResult(token);

    public ValueTaskSourceStatus GetStatus(short token) => _read.GetStatus(token);

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _read.OnCompleted(continuation, state, token, flags);

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override void Flush()
    {
    }

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    protected override void Dispose(bool disposing)
    {
        _bound.Dispose();
        _file.Dispose();
        _overlapped.Dispose();
        base.Dispose(disposing);
    }

    private void Complete(int error, int bytes, NativeOverlapped* overlapped)
    {
        _bound.FreeNativeOverlapped(overlapped);
        _pinned.Dispose();
        _offset += bytes;
        if (error is 0 or ErrorHandleEof)
        {
            _read.SetResult(bytes);
        }
        else
        {
            _read.SetException(new Win32Exception(error));
        }
    }

    // https://learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-createfilew
    [LibraryImport("kernel32", EntryPoint = "CreateFileW", SetLastError = true, StringMarshalling = StringMarshalling.Utf16)]
    private static partial SafeFileHandle CreateFile(
        string path, uint access, uint share, nint security, uint disposition, uint flags, nint template);

    // https://learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-readfile
    [LibraryImport("kernel32", SetLastError = true)]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool ReadFile(SafeFileHandle file, void* buffer, int length, int* read, NativeOverlapped* overlapped);
}
