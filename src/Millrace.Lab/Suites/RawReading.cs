using Microsoft.Win32.SafeHandles;
using Millrace.Lab.Suites.Files;

namespace Millrace.Lab.Suites;

/// <summary>
/// What reading a file costs at least: system calls into one aligned block, a mapping of the whole file, or no reading at all.
/// One invocation opens the file, sums its 64-bit integers or counts its lines, and closes it.
/// </summary>
/// <param name="block">The bytes of a read; of a mapping, those that are summed at a time.</param>
[SupportedOSPlatform("linux")]
internal sealed unsafe class RawReading(TestFile source, int block) : CaseMethod
{
    private readonly AlignedBlock _mine = new(block);
    private readonly bool _isText = source.Content == FileContent.Csv;
    private Helper? _helper;
    private AlignedBlock? _all;

    public override Func<long> Find(string name)
    {
        switch (name)
        {
            case Floor.Read:
                return RawRead;
            case Floor.ReadTwo:
                _helper = new Helper(this, block);
                return RawReadTwo;
            case Floor.Map:
                return RawMap;
            case Floor.Sum:
                _all = LoadAll();
                return RawSum;
            default:
                throw Unknown(name);
        }
    }

    public override void Dispose()
    {
        base.Dispose();
        _helper?.Dispose();
        _all?.Dispose();
        _mine.Dispose();
    }

    private long RawRead()
    {
        using SafeFileHandle file = LinuxCalls.OpenRead(source.Path);
        return Checked(Part(file, _mine, 0, source.Bytes));
    }

    // Each thread reads one half; a half begins with a page.
    private long RawReadTwo()
    {
        using SafeFileHandle file = LinuxCalls.OpenRead(source.Path);
        long middle = source.Bytes / 2 / Environment.SystemPageSize * Environment.SystemPageSize;
        _helper!.Begin(file, middle);
        long first = Part(file, _mine, 0, middle);
        return Checked(unchecked(first + _helper.End()));
    }

    private long RawMap()
    {
        using SafeFileHandle file = LinuxCalls.OpenRead(source.Path);
        nint start = LinuxFile.Map(0, (nuint)source.Bytes, LinuxFile.ProtectionRead, LinuxFile.MapShared, file, 0);
        if (start == -1)
        {
            throw new IOException($"mmap failed: {Marshal.GetLastPInvokeErrorMessage()}");
        }

        long result = InMemory((byte*)start);
        _ = LinuxFile.Unmap(start, (nuint)source.Bytes);
        return Checked(result);
    }

    private long RawSum() => Checked(InMemory(_all!.Start));

    private long InMemory(byte* start)
    {
        var sum = new Sum(_isText);
        for (long at = 0; at < source.Bytes; at += block)
        {
            sum.Add(new ReadOnlySpan<byte>(start + at, (int)Math.Min(block, source.Bytes - at)));
        }

        return sum.Result;
    }

    private long Part(SafeFileHandle file, AlignedBlock memory, long from, long end)
    {
        var sum = new Sum(_isText);
        while (from < end)
        {
            int read = LinuxCalls.Read(file, memory.Start, (int)Math.Min(block, end - from), from);
            if (read == 0)
            {
                throw new WrongChecksumException(source, from, sum.Result);
            }

            sum.Add(new ReadOnlySpan<byte>(memory.Start, read));
            from += read;
        }

        return sum.Result;
    }

    private AlignedBlock LoadAll()
    {
        var all = new AlignedBlock(source.Bytes);
        using SafeFileHandle file = LinuxCalls.OpenRead(source.Path);
        for (long at = 0; at < source.Bytes;)
        {
            int read = LinuxCalls.Read(file, all.Start + at, (int)Math.Min(block, source.Bytes - at), at);
            at += read > 0 ? read : throw new WrongChecksumException(source, at, 0);
        }

        return all;
    }

    private long Checked(long result) => result == source.Checksum
        ? result
        : throw new WrongChecksumException(source, source.Bytes, result);

    private struct Sum(bool isText)
    {
        private Checksum _sum;
        private long _lines;

        public readonly long Result => isText ? _lines : _sum.Sum;

        public void Add(ReadOnlySpan<byte> piece)
        {
            if (isText)
            {
                _lines += piece.Count((byte)'\n');
            }
            else
            {
                _sum.Add(piece);
            }
        }
    }

    // The second thread, which lives as long as the case, so that starting it is not measured.
    private sealed class Helper : IDisposable
    {
        private readonly RawReading _owner;
        private readonly AlignedBlock _block;
        private readonly SemaphoreSlim _begin = new(0);
        private readonly SemaphoreSlim _end = new(0);
        private readonly Thread _thread;
        private SafeFileHandle? _file;
        private long _from;
        private long _result;
        private Exception? _failure;

        public Helper(RawReading owner, int block)
        {
            _owner = owner;
            _block = new AlignedBlock(block);
            _thread = new Thread(Run) { IsBackground = true, Name = "raw reading" };
            _thread.Start();
        }

        public void Begin(SafeFileHandle file, long from)
        {
            _file = file;
            _from = from;
            _begin.Release();
        }

        public long End()
        {
            _end.Wait();
            return _failure is null ? _result : throw new IOException(_failure.Message, _failure);
        }

        public void Dispose()
        {
            _file = null;
            _begin.Release();
            _thread.Join();
            _block.Dispose();
            _begin.Dispose();
            _end.Dispose();
        }

        private void Run()
        {
            while (true)
            {
                _begin.Wait();
                if (_file is not { } file)
                {
                    return;
                }

                try
                {
                    _result = _owner.Part(file, _block, _from, _owner.Source.Bytes);
                    _failure = null;
                }
                catch (Exception exception)
                {
                    _failure = exception;
                }

                _end.Release();
            }
        }
    }

    private TestFile Source => source;
}
