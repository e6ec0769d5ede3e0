using System.Diagnostics;
using System.IO.Pipelines;

namespace Millrace.Transfer.Tests.Uploading;

public sealed class RoundTripTests : ServerTest
{
    [Theory, EveryProtocol(ProtocolSet.AllAndHttp2, 0, 1, 65_535, 65_536, 65_537, 262_144, 262_145, 8_388_609, 24_000_000)]
    public async Task File_makes_a_round_trip_between_paths(TransferProtocol protocol, int size)
    {
        // One connection: on a busy machine loopback is a long way, and several may bring some bytes twice.
        using TransferClient client = Server.Connect(options => (options.Protocol, options.MaxConnections) = (protocol, 1));
        byte[] content = Content.Random(size);
        string path = Folder.Write("here.bin", content);

        TransferResult put = await client.PutAsync(path, Clients.Name("a/b c.bin"));
        TransferResult got = await client.GetAsync(Clients.Name("a/b c.bin"), Folder["back.bin"]);

        Assert.Equal(content, await File.ReadAllBytesAsync(Server.PathOf("a/b c.bin")));
        Assert.Equal(content, await File.ReadAllBytesAsync(Folder["back.bin"]));
        Assert.Equal(Sha256Digest.Compute(content), put.Sha256);
        Assert.Equal(put with { }, got);
    }

    [Theory, EveryProtocol(ProtocolSet.AllAndHttp2, 400_000)]
    public async Task File_makes_a_round_trip_below_a_rate(TransferProtocol protocol, int size)
    {
        using TransferClient client = Server.Connect(options =>
        {
            options.Protocol = protocol;
            options.MaxBytesPerSecond = 1_000_000;
        });
        byte[] content = Content.Random(size);
        long started = Stopwatch.GetTimestamp();
        await client.PutAsync(Folder.Write("here", content), Clients.Name("x"));
        await client.GetAsync(Clients.Name("x"), Folder["back"]);
        Assert.Equal(content, await File.ReadAllBytesAsync(Folder["back"]));

        // It cannot be faster, however idle the machine is: only the first piece does not wait.
        Assert.True(Stopwatch.GetElapsedTime(started) > TimeSpan.FromSeconds(0.5));
    }

    [NeedsTheory(Need.Unix), EveryProtocol(ProtocolSet.AllAndHttp2, 0, 100, 1_000_000)]
    public async Task File_keeps_the_time_of_its_last_change(TransferProtocol protocol, int size)
    {
        using TransferClient client = Server.Connect(options => options.Protocol = protocol);
        string path = Folder.Write("here", Content.Random(size));
        foreach (FileTime time in (FileTime[])[new(1_700_000_000, 123_456_789), new(-2, 500_000_000), new(10_000_000_000, 1)])
        {
            LocalTime.Set(path, time);
            await client.PutAsync(path, Clients.Name("there"));
            Assert.Equal(time, LocalTime.Of(Server.PathOf("there")));
            Assert.Equal(time, (await client.FindAsync(Clients.Name("there")))!.Modified);
            Assert.Equal(time, (await client.ListAsync().ToListAsync()).Single().Modified);

            await client.GetAsync(Clients.Name("there"), Folder["back"]);
            Assert.Equal(time, LocalTime.Of(Folder["back"]));
        }

        var before = FileTime.FromDateTimeOffset(DateTimeOffset.UtcNow.AddSeconds(-1));
        await client.PutAsync(path, Clients.Name("there"), new PutOptions { NoTimes = true });
        Assert.True(LocalTime.Of(Server.PathOf("there")).Seconds is var there && there >= before.Seconds && there < 5_000_000_000);
        LocalTime.Set(Server.PathOf("there"), new FileTime(5, 0));
        await client.GetAsync(Clients.Name("there"), Folder["back"], new GetOptions { NoTimes = true });
        Assert.InRange(LocalTime.Of(Folder["back"]).Seconds, before.Seconds, before.Seconds + 1000);
        await client.PutAsync(new MemoryStream([1, 2]), Clients.Name("there"), new PutOptions { Modified = new FileTime(7, 7) });
        Assert.Equal(new FileTime(7, 7), LocalTime.Of(Server.PathOf("there")));
    }

    [Theory, EveryProtocol(ProtocolSet.Downloads, 222, 223, 224, 235, 236, 240, 252, 255)]
    public async Task Names_of_every_length_are_downloaded(TransferProtocol protocol, int bytes)
    {
        using TransferClient client = Server.Connect(options => options.Protocol = protocol);
        byte[] content = Content.Random(300_000);
        string name = new string('n', bytes % 2) + new string('é', bytes / 2);

        await client.PutAsync(Folder.Write(name, content), Clients.Name(name));
        File.Delete(Folder[name]);
        await client.GetAsync(Clients.Name(name), Folder[name]);

        Assert.Equal(content, await File.ReadAllBytesAsync(Folder[name]));
        Assert.Equal([name], Folder.Names);
    }

    [Fact]
    public void Unfinished_downloads_of_long_names_have_names_that_are_short_enough_and_different()
    {
        var source = new Uri("http://localhost/files/a");
        string[] names = [new('n', 255), new string('n', 254) + "m", new string('日', 85), new('n', 236), new('n', 235)];
        string[] parts = [.. names.Select(name => Path.GetFileName(new PartRecord(Folder[name], source).PartPath))];

        Assert.Equal(names.Length, parts.Distinct().Count());
        Assert.All(parts, static part => Assert.InRange(System.Text.Encoding.UTF8.GetByteCount(part + ".json"), 1, 255));
        Assert.Equal($".{names[^1]}.millrace-part", parts[^1]);
        Assert.Equal(parts[0], Path.GetFileName(new PartRecord(Folder[names[0]], source).PartPath));
    }

    [Theory, EveryProtocol]
    public async Task Without_digests_the_bytes_are_the_same(TransferProtocol protocol)
    {
        using TransferClient client = Server.Connect(options =>
        {
            options.Protocol = protocol;
            options.VerifyDigests = false;
        });
        byte[] content = Content.Random(3_000_000);

        TransferResult put = await client.PutAsync(Folder.Write("x", content), Clients.Name("x"));
        TransferResult got = await client.GetAsync(Clients.Name("x"), Folder["y"]);

        Assert.Equal(content, await File.ReadAllBytesAsync(Folder["y"]));
        Assert.Null(put.Sha256);
        Assert.Null(got.Sha256);
    }

    [Theory, EveryProtocol(ProtocolSet.All, 100, 20_000_000)]
    public async Task A_pipe_of_unknown_length_arrives_whole(TransferProtocol protocol, int size)
    {
        using TransferClient client = Server.Connect(options => options.Protocol = protocol);
        byte[] content = Content.Random(size);

        TransferResult put = await client.PutAsync(PipeReader.Create(new MemoryStream(content)), Clients.Name("x"));

        Assert.Equal(content, await File.ReadAllBytesAsync(Server.PathOf("x")));
        Assert.Equal(size, put.Length);
    }

    [Theory, EveryProtocol]
    public async Task A_sequence_of_memory_arrives_whole(TransferProtocol protocol)
    {
        using TransferClient client = Server.Connect(options => options.Protocol = protocol);
        byte[] content = Content.Random(1_000_000);

        await client.PutAsync(Pieces(content), Clients.Name("x"), new PutOptions { Length = content.Length });

        Assert.Equal(content, await File.ReadAllBytesAsync(Server.PathOf("x")));
    }

    [Fact]
    public async Task A_stream_is_uploaded_from_its_position_and_left_open()
    {
        using TransferClient client = Server.Connect();
        byte[] content = Content.Random(700_000);
        using var stream = new MemoryStream(content) { Position = 1000 };

        await client.PutAsync(stream, Clients.Name("x"));

        Assert.Equal(content[1000..], await File.ReadAllBytesAsync(Server.PathOf("x")));
        Assert.True(stream.CanRead);
    }

    [Fact]
    public async Task A_file_is_read_as_a_sequence_into_a_stream_and_into_a_pipe()
    {
        byte[] content = Server.Write("x", 3_000_000);
        using TransferClient client = Server.Connect();
        using var stream = new MemoryStream();
        using var sequence = new MemoryStream();
        var pipe = new Pipe();

        await client.GetAsync(Clients.Name("x"), stream);
        await foreach (ReadOnlyMemory<byte> piece in client.ReadAsync(Clients.Name("x")))
        {
            sequence.Write(piece.Span);
        }

        Task<TransferResult> download = client.GetAsync(Clients.Name("x"), pipe.Writer);
        using var fromPipe = new MemoryStream();
        await pipe.Reader.CopyToAsync(fromPipe);
        await download;

        Assert.Equal(content, stream.ToArray());
        Assert.Equal(content, sequence.ToArray());
        Assert.Equal(content, fromPipe.ToArray());
    }

    [Theory, EveryProtocol(ProtocolSet.Downloads)]
    public async Task A_part_of_a_file_is_downloaded(TransferProtocol protocol)
    {
        byte[] content = Server.Write("x", 1_000_000);
        using TransferClient client = Server.Connect(options => options.Protocol = protocol);
        using var stream = new MemoryStream();

        await client.GetAsync(Clients.Name("x"), stream, new GetOptions { Range = new ByteRange(12_345, 600_000) });

        Assert.Equal(content.AsSpan(12_345, 600_000).ToArray(), stream.ToArray());
    }

    private static async IAsyncEnumerable<ReadOnlyMemory<byte>> Pieces(byte[] content)
    {
        for (int at = 0; at < content.Length; at += 7777)
        {
            await Task.Yield();
            yield return content.AsMemory(at, Math.Min(7777, content.Length - at));
        }
    }
}
