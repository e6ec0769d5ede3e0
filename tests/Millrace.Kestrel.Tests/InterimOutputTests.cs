using System.Buffers;
using System.Buffers.Binary;
using System.IO.Pipelines;

namespace Millrace.Kestrel.Tests;

/// <summary>Frames that are inserted between others, over a connection that takes nothing while it flushes, as that of TLS.</summary>
public sealed class InterimOutputTests
{
    private const int Interim = 104;

    public static TheoryData<int> Seeds => [.. Enumerable.Range(0, 30)];

    [Theory, MemberData(nameof(Seeds))]
    public async Task Frames_stay_whole_and_in_order(int seed)
    {
        var random = new Random(seed);
        var connection = new TestWriter();
        InterimOutput output = Open(connection);
        var written = new List<Frame>();
        var accepted = new List<int>();
        int stream = 1;
        void MaySend()
        {
            for (; random.Next(3) == 0; stream += 2)
            {
                if (output.TrySend(Make(stream)))
                {
                    accepted.Add(stream);
                }
            }
        }

        for (int burst = 0; burst < 20; burst++)
        {
            List<Frame> frames = burst == 0 ? [new Frame(FrameFollower.Settings, 0, 0, 12)] : MakeBurst(random, stream);
            written.AddRange(frames);
            ReadOnlyMemory<byte> bytes = frames.SelectMany(frame => frame.ToBytes()).ToArray();
            while (!bytes.IsEmpty)
            {
                int count = Math.Min(random.Next(1, random.Next(2) == 0 ? 12 : 4000), bytes.Length);
                bytes[..count].CopyTo(output.GetMemory(count));
                MaySend();
                output.Advance(count);
                bytes = bytes[count..];
                if (random.Next(8) == 0)
                {
                    connection.EndFlush();
                }
            }

            connection.IsSlow = random.Next(2) == 0;
            Task flush = output.FlushAsync().AsTask();
            MaySend();
            connection.IsSlow &= random.Next(2) == 0;
            await connection.EndFlushesAsync(flush);
            connection.IsSlow = random.Next(2) == 0;
            MaySend();
        }

        connection.IsSlow = false;
        await connection.EndFlushesAsync(output.FlushAsync().AsTask());
        await connection.EndFlushesAsync(output.CloseAsync());
        Assert.False(output.TrySend(Make(stream)));
        Check(connection.Bytes, written, accepted);
    }

    [Fact]
    public async Task Stream_that_is_reset_while_its_frame_waits_gets_none()
    {
        var connection = new TestWriter();
        InterimOutput output = await BeginAsync(connection);
        byte[] reset = new Frame(FrameFollower.ResetStream, 0, 3, 4).ToBytes();
        reset.CopyTo(output.GetMemory(reset.Length));
        Assert.True(output.TrySend(Make(1)));
        Assert.True(output.TrySend(Make(3)));
        output.Advance(reset.Length);
        await Bounded.UntilAsync(() => connection.Flushes == 2);
        Assert.Equal([0, 3, 1], Streams(connection));
        Assert.Equal([FrameFollower.Settings, FrameFollower.ResetStream, FrameFollower.Headers], Parse(connection.Bytes).Select(frame => frame.Type));
        Assert.False(output.TrySend(Make(3)));
    }

    [Fact]
    public async Task One_frame_of_a_stream_waits_at_most()
    {
        var connection = new TestWriter();
        InterimOutput output = await BeginAsync(connection);
        connection.IsSlow = true;
        Assert.True(output.TrySend(Make(1)));
        Assert.True(output.TrySend(Make(1)));
        Assert.False(output.TrySend(Make(1)));
        Assert.True(output.TrySend(Make(3)));
        connection.IsSlow = false;
        await connection.EndFlushesAsync(output.FlushAsync().AsTask());
        Assert.Equal([0, 1, 1, 3], Streams(connection));
        Assert.True(output.TrySend(Make(1)));
    }

    /// <summary>Kestrel writes the fields of a response that is aborted meanwhile, and does not flush them.</summary>
    [Theory, InlineData(false), InlineData(true)]
    public async Task Frame_needs_no_flush_of_others(bool isAskedForWithin)
    {
        var connection = new TestWriter();
        InterimOutput output = await BeginAsync(connection);
        byte[] other = new Frame(FrameFollower.Headers, FrameFollower.EndHeaders, 1, 10).ToBytes();
        other.CopyTo(output.GetMemory(other.Length));
        if (isAskedForWithin)
        {
            Assert.True(output.TrySend(Make(3)));
        }

        output.Advance(other.Length);
        if (!isAskedForWithin)
        {
            Assert.True(output.TrySend(Make(3)));
        }

        await Bounded.UntilAsync(() => connection.Flushes == 2);
        Assert.Equal([0, 1, 3], Streams(connection));
    }

    [Fact]
    public async Task Bytes_that_waited_for_a_frame_need_no_flush_of_others()
    {
        var connection = new TestWriter();
        InterimOutput output = await BeginAsync(connection);
        connection.IsSlow = true;
        Assert.True(output.TrySend(Make(3)));
        output.Write(new Frame(FrameFollower.Headers, FrameFollower.EndHeaders, 1, 10).ToBytes());
        connection.IsSlow = false;
        connection.EndFlush();
        await Bounded.UntilAsync(() => connection.Flushes == 3);
        Assert.Equal([0, 3, 1], Streams(connection));
    }

    [Fact]
    public async Task Bytes_that_are_not_HTTP_2_stay_as_they_are()
    {
        var connection = new TestWriter();
        InterimOutput output = Open(connection);
        await output.WriteAsync("HTTP/1.1 505 HTTP Version Not Supported\r\n\r\n"u8.ToArray());
        Assert.False(output.TrySend(Make(1)));
        Assert.Equal("HTTP/1.1 505 HTTP Version Not Supported\r\n\r\n", Encoding.ASCII.GetString([.. connection.Bytes]));
    }

    [Fact]
    public async Task Number_of_waiting_frames_is_limited()
    {
        var connection = new TestWriter();
        InterimOutput output = await BeginAsync(connection);
        connection.IsSlow = true;
        int accepted = 0;
        for (; output.TrySend(Make((2 * accepted) + 1)); accepted++)
        {
        }

        // The first one is being flushed.
        Assert.Equal(InterimOutput.MaxWaiting + 1, accepted);
    }

    [Fact]
    public async Task Resets_that_were_forgotten_still_count()
    {
        InterimOutput output = await BeginAsync(new TestWriter());
        for (int stream = 1; stream < 401; stream += 2)
        {
            output.Write(new Frame(FrameFollower.ResetStream, 0, stream, 4).ToBytes());
            Assert.All(Enumerable.Range(0, (stream / 2) + 1), index => Assert.False(output.TrySend(Make((2 * index) + 1))));
            Assert.True(output.TrySend(Make(stream + 2)));
        }
    }

    [Theory, InlineData(4095u, true), InlineData(4096u, false), InlineData(65_536u, false)]
    public async Task Client_with_a_small_table_is_found_however_its_bytes_are_cut(uint tableBytes, bool isSmall)
    {
        byte[] bytes =
        [
            .. Http2Preface.Bytes, .. new Frame(8, 0, 0, 0).ToBytes([0, 1, 0, 0, 0, 0]), .. new Frame(FrameFollower.Settings, 0, 0, 0).ToBytes(
                [0, 6, 0, 0, 0, 1, 0, 1, (byte)(tableBytes >> 24), (byte)(tableBytes >> 16), (byte)(tableBytes >> 8), (byte)tableBytes]),
        ];
        for (int cut = 1; cut <= bytes.Length; cut++)
        {
            var pipe = new Pipe();
            var input = new InterimInput(pipe.Reader);
            int sent = 0;
            foreach (byte[] part in bytes.Chunk(cut))
            {
                await pipe.Writer.WriteAsync(part);
                ReadResult read = await input.ReadAsync();
                sent += part.Length;

                // Kestrel may act on what it has read before it says how much that is.
                Assert.Equal(isSmall && sent == bytes.Length, input.HasSmallTable);
                input.AdvanceTo(read.Buffer.GetPosition(read.Buffer.Length / 2), read.Buffer.End);
            }
        }
    }

    [Fact]
    public void Frame_is_never_longer_than_every_peer_accepts()
    {
        Assert.Null(InterimFrame.Create(1, Interim, [new("a", new string('a', InterimFrame.MaxPayloadBytes))]));
        InterimFrame frame = InterimFrame.Create(1, Interim, [new("a", new string('a', InterimFrame.MaxPayloadBytes - 40))])!.Value;
        Assert.InRange(Assert.Single(Parse([.. frame.Bytes])).Length, InterimFrame.MaxPayloadBytes - 40, InterimFrame.MaxPayloadBytes);
    }

    private static InterimFrame Make(int stream) => InterimFrame.Create(stream, Interim, [new("Location", $"/{stream}")])!.Value;

    private static InterimOutput Open(TestWriter connection) => new(connection, new InterimInput(PipeReader.Create(Stream.Null)));

    private static async Task<InterimOutput> BeginAsync(TestWriter connection)
    {
        InterimOutput output = Open(connection);
        await output.WriteAsync(new Frame(FrameFollower.Settings, 0, 0, 0).ToBytes());
        return output;
    }

    private static List<Frame> MakeBurst(Random random, int stream)
    {
        var frames = new List<Frame>();
        for (int i = random.Next(4); i >= 0; i--)
        {
            switch (random.Next(4))
            {
                case 0:
                    int parts = random.Next(3);
                    frames.Add(new(FrameFollower.Headers, parts == 0 ? FrameFollower.EndHeaders : (byte)0, 2, random.Next(100)));
                    frames.AddRange(Enumerable.Range(1, parts).Select(part => new Frame(
                        FrameFollower.Continuation, part == parts ? FrameFollower.EndHeaders : (byte)0, 2, random.Next(100))));
                    break;
                case 1:
                    frames.Add(new(FrameFollower.ResetStream, 0, Math.Max(1, stream - (2 * random.Next(3))), 4));
                    break;
                default:
                    frames.Add(new(0, 0, 2, random.Next(20_000)));
                    break;
            }
        }

        return frames;
    }

    private static void Check(List<byte> bytes, List<Frame> written, List<int> accepted)
    {
        var others = new List<Frame>();
        var interim = new List<int>();
        var reset = new HashSet<int>();
        bool isInFields = false;
        foreach (Frame frame in Parse(bytes))
        {
            if (frame is { Type: FrameFollower.Headers, Stream: not 2 })
            {
                Assert.False(isInFields);
                Assert.NotEmpty(others);
                Assert.DoesNotContain(frame.Stream, reset);
                interim.Add(frame.Stream);
                continue;
            }

            others.Add(frame);
            isInFields = frame.Type is FrameFollower.Headers or FrameFollower.Continuation && frame.Flags == 0;
            if (frame.Type == FrameFollower.ResetStream)
            {
                reset.Add(frame.Stream);
            }
        }

        Assert.Equal(written, others);
        Assert.Equal(accepted.Where(stream => !reset.Contains(stream)), interim.Where(stream => !reset.Contains(stream)));
        Assert.Empty(interim.Except(accepted));
    }

    private static int[] Streams(TestWriter connection) => [.. Parse(connection.Bytes).Select(frame => frame.Stream)];

    private static List<Frame> Parse(List<byte> bytes)
    {
        var frames = new List<Frame>();
        ReadOnlySpan<byte> rest = bytes.ToArray();
        while (!rest.IsEmpty)
        {
            int length = BinaryPrimitives.ReadInt32BigEndian(rest) >> 8;
            frames.Add(new(rest[3], rest[4], BinaryPrimitives.ReadInt32BigEndian(rest[5..]), length));
            rest = rest[(FrameFollower.HeadBytes + length)..];
        }

        return frames;
    }

    private sealed record Frame(byte Type, byte Flags, int Stream, int Length)
    {
        public byte[] ToBytes(params byte[] payload)
        {
            byte[] bytes = new byte[FrameFollower.HeadBytes + Math.Max(Length, payload.Length)];
            BinaryPrimitives.WriteInt32BigEndian(bytes, (bytes.Length - FrameFollower.HeadBytes) << 8);
            bytes[3] = Type;
            bytes[4] = Flags;
            BinaryPrimitives.WriteInt32BigEndian(bytes.AsSpan(5), Stream);
            payload.CopyTo(bytes, FrameFollower.HeadBytes);
            return bytes;
        }
    }

    /// <summary>A connection whose flushes end when the test wants, and which accepts nothing while it flushes.</summary>
    private sealed class TestWriter : PipeWriter
    {
        private readonly Lock _lock = new();
        private byte[] _memory = [];
        private TaskCompletionSource<FlushResult>? _flush;

        public List<byte> Bytes { get; } = [];

        public int Flushes { get; private set; }

        /// <summary>Whether flushes wait for <see cref="EndFlush"/>.</summary>
        public bool IsSlow { get; set; }

        public void EndFlush()
        {
            TaskCompletionSource<FlushResult>? flush;
            lock (_lock)
            {
                flush = _flush;
                _flush = null;
            }

            flush?.SetResult(default);
        }

        /// <summary>Ends flushes until a task has ended.</summary>
        public async Task EndFlushesAsync(Task task)
        {
            await Bounded.UntilAsync(() =>
            {
                EndFlush();
                return task.IsCompleted;
            });
            await task;
        }

        public override Memory<byte> GetMemory(int sizeHint = 0)
        {
            lock (_lock)
            {
                Assert.Null(_flush);
                return _memory = new byte[Math.Max(sizeHint, 16)];
            }
        }

        public override Span<byte> GetSpan(int sizeHint = 0) => GetMemory(sizeHint).Span;

        public override void Advance(int bytes)
        {
            lock (_lock)
            {
                Assert.Null(_flush);
                Bytes.AddRange(_memory.AsSpan(0, bytes));
            }
        }

        public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default)
        {
            lock (_lock)
            {
                Assert.Null(_flush);
                Flushes++;
                if (!IsSlow)
                {
                    return default;
                }

                _flush = new TaskCompletionSource<FlushResult>();
                return new(_flush.Task);
            }
        }

        public override void CancelPendingFlush()
        {
        }

        public override void Complete(Exception? exception = null)
        {
        }
    }
}
