using System.Net;

namespace Millrace.Transfer.Tests.Deltas;

/// <summary>The zeros of a sparse file do not travel, in both directions and over every protocol, and its holes are holes there.</summary>
public sealed class HoleTransferTests : ServerTest
{
    private const int Length = 40_000_000;

    private static readonly (long, int)[] Parts = [(1_000_000, 50_000), (20_000_001, 10), (Length - 5, 5)];

    [Theory, EveryProtocol(ProtocolSet.AllAndHttp2)]
    public async Task Upload_sends_no_zeros(TransferProtocol protocol)
    {
        byte[] content = SparseFiles.Write(Folder["x"], Length, 1, Parts);
        using TransferClient client = Connect(protocol);

        TransferResult result = await client.PutAsync(Folder["x"], Clients.Name("x"), new PutOptions { Precondition = new WritePrecondition { CreateNew = true } });

        AssertMoved(result, content);
        AssertSame(content, Server.PathOf("x"));
        Assert.Equal(["x"], Server.Visible());
        Assert.Equal(1, result.Attempts);
    }

    [Theory, EveryProtocol(ProtocolSet.AllAndHttp2)]
    public async Task Download_fetches_no_zeros(TransferProtocol protocol)
    {
        byte[] content = SparseFiles.Write(Server.PathOf("x"), Length, 1, Parts);
        using TransferClient client = Connect(protocol);

        TransferResult result = await client.GetAsync(Clients.Name("x"), Folder["x"], new GetOptions { Resume = true });

        AssertMoved(result, content);
        AssertSame(content, Folder["x"]);
        Assert.Equal(["x"], Folder.Names);
        Assert.Equal(File.GetLastWriteTimeUtc(Server.PathOf("x")), File.GetLastWriteTimeUtc(Folder["x"]));
    }

    [Theory, EveryProtocol]
    public async Task File_that_is_one_hole_moves_nothing(TransferProtocol protocol)
    {
        byte[] content = SparseFiles.Write(Folder["x"], Length, 1);
        using TransferClient client = Connect(protocol);

        AssertMoved(await client.PutAsync(Folder["x"], Clients.Name("x")), content);
        AssertSame(content, Server.PathOf("x"));
        File.Delete(Folder["x"]);
        AssertMoved(await client.GetAsync(Clients.Name("x"), Folder["x"]), content);
        AssertSame(content, Folder["x"]);
    }

    [Theory, EveryProtocol]
    public async Task Random_sparse_files_arrive_as_they_are(TransferProtocol protocol)
    {
        using TransferClient client = Connect(protocol, TransferDelta.Auto);
        int times = Soak.Times(6, 300);
        for (int i = 0; i < times; i++)
        {
            byte[] content = SparseFiles.WriteRandom(Folder["x"], new Random(i));
            ExtentList extents = SparseFiles.ExtentsOf(Folder["x"]);

            TransferResult put = await client.PutAsync(Folder["x"], Clients.Name("x"));
            Assert.Equal(content, await File.ReadAllBytesAsync(Server.PathOf("x")));
            Assert.Equal(Sha256Digest.Compute(content), put.Sha256);
            TransferResult got = await client.GetAsync(Clients.Name("x"), Folder["y"]);
            Assert.Equal(content, await File.ReadAllBytesAsync(Folder["y"]));
            Assert.Equal(Sha256Digest.Compute(content), got.Sha256);
            if (extents.IsSparse)
            {
                Assert.InRange(put.BytesSent, 0, extents.DataBytes + (extents.Extents.Count * 24) + 100);
                Assert.InRange(got.BytesSent, 0, extents.DataBytes);
                Assert.InRange(SparseFiles.ExtentsOf(Server.PathOf("x")).DataBytes, 0, extents.DataBytes + (extents.Extents.Count * 8192L));
                Assert.InRange(SparseFiles.ExtentsOf(Folder["y"]).DataBytes, 0, extents.DataBytes + (extents.Extents.Count * 8192L));
            }

            File.Delete(Folder["y"]);
        }
    }

    [Theory, EveryProtocol(ProtocolSet.AllAndHttp2)]
    public async Task Deltas_keep_holes(TransferProtocol protocol)
    {
        byte[] old = Content.Random(4_000_000, 5);
        File.WriteAllBytes(Server.PathOf("x"), old);
        byte[] content = SparseFiles.Write(Folder["x"], Length, 5, (0, 4_000_000), (Length / 2, 1000));
        using TransferClient client = Connect(protocol);

        TransferResult put = await client.PutAsync(Folder["x"], Clients.Name("x"));

        AssertSame(content, Server.PathOf("x"));
        Assert.InRange(put.BytesReused, 3_900_000, 4_000_000);
        Assert.InRange(put.BytesSent, 1000, SparseFiles.AreSupported ? 20_000 : Length);

        // And back, to a file without a hole.
        File.WriteAllBytes(Folder["x"], old);
        TransferResult got = await client.GetAsync(Clients.Name("x"), Folder["x"]);
        AssertSame(content, Folder["x"]);
        Assert.InRange(got.BytesSent, 1000, 50_000);
    }

    [Theory, EveryProtocol]
    public async Task Transfers_that_are_cut_go_on_where_they_were(TransferProtocol protocol)
    {
        int times = Soak.Times(3, 100);
        for (int i = 0; i < times; i++)
        {
            var random = new Random(i);
            byte[] content = SparseFiles.Write(Folder["x"], 60_000_000, i, (5_000_000, 1_500_000), (30_000_000, 1_500_000), (50_000_000, 100_000));
            await using TestRelay relay = Server.Behind(protocol, connection => connection < 4
                ? new RelayPlan { CutUpAfter = random.Next(20_000, 1_400_000), CutDownAfter = random.Next(20_000, 1_400_000) }
                : RelayPlan.Clear);
            using TransferClient client = Clients.To(relay.Files, options => options.Protocol = protocol);

            await client.PutAsync(Folder["x"], Clients.Name("x"));
            AssertSame(content, Server.PathOf("x"));
            await client.GetAsync(Clients.Name("x"), Folder["y"]);
            AssertSame(content, Folder["y"]);
            File.Delete(Folder["y"]);
            File.Delete(Server.PathOf("x"));
        }
    }

    [Fact]
    public async Task Download_that_an_earlier_process_began_goes_on()
    {
        byte[] content = SparseFiles.Write(Server.PathOf("x"), 60_000_000, 3, (1_000_000, 9_000_000), (40_000_000, 9_000_000));
        await using TestRelay relay = Server.Behind(
            TransferProtocol.Http1, _ => new RelayPlan { CutDownAfter = 10_000_000, Once = true });
        using (TransferClient first = Clients.Resuming(relay.Files, Folder, TransferProtocol.Http1, attempts: 1))
        {
            await Assert.ThrowsAsync<TransferException>(() => first.GetAsync(Clients.Name("x"), Folder["x"], new GetOptions { Resume = true }));
        }

        using TransferClient client = Clients.Resuming(relay.Files, Folder, TransferProtocol.Http1);
        TransferResult result = await client.GetAsync(Clients.Name("x"), Folder["x"], new GetOptions { Resume = true });
        AssertSame(content, Folder["x"]);
        Assert.InRange(result.BytesSent, 7_000_000, SparseFiles.AreSupported ? 14_500_000 : 60_000_000);
        Assert.Equal(["x"], Folder.Names);
    }

    [Fact]
    public async Task File_that_is_replaced_between_its_list_and_its_data_starts_over()
    {
        SparseFiles.Write(Server.PathOf("x"), Length, 1, Parts);
        byte[] content = [];
        using var handler = new CountingHandler
        {
            Watch = request =>
            {
                if (request.Headers.Range is not null && content.Length == 0)
                {
                    content = SparseFiles.Write(Server.PathOf("x"), Length + 1, 9, (100, 100), (Length / 2, 100_000));
                }
            },
        };
        using TransferClient client = new(Server.Files, handler, disposeHandler: false, new TransferClientOptions { Protocol = TransferProtocol.Http1 });

        await client.GetAsync(Clients.Name("x"), Folder["x"]);
        Assert.Equal(content.Length == 0 ? await File.ReadAllBytesAsync(Server.PathOf("x")) : content, await File.ReadAllBytesAsync(Folder["x"]));
    }

    [Fact]
    public async Task Delta_of_nothing_cannot_refer_to_a_version()
    {
        File.WriteAllBytes(Server.PathOf("x"), Content.Random(10_000));
        using HttpResponseMessage answer = await SendDeltaAsync([1, 0x81, 0x10, 0], 2000);
        Assert.Equal(HttpStatusCode.BadRequest, answer.StatusCode);
    }

    [Theory]
    [InlineData("0100A01F", 4000, HttpStatusCode.Created)]
    [InlineData("0100A11F", 4000, HttpStatusCode.BadRequest)]
    [InlineData("0100A01F00A01F", 8001, HttpStatusCode.BadRequest)]
    [InlineData("0100FFFFFFFFFFFFFFFF7F", 4000, HttpStatusCode.BadRequest)]
    [InlineData("010080808080808080808001", 4000, HttpStatusCode.BadRequest)]
    public async Task Zeros_make_no_more_than_was_declared(string hex, long length, HttpStatusCode expected)
    {
        using HttpResponseMessage answer = await SendDeltaAsync(Convert.FromHexString(hex), length);
        Assert.Equal(expected, answer.StatusCode);
        Assert.Equal(expected == HttpStatusCode.Created ? ["x"] : [], Server.Visible());
    }

    [Fact]
    public async Task Zeros_count_as_bytes_of_the_file_and_of_the_store()
    {
        await using TestServer server = await TestServer.StartAsync(options =>
        {
            options.Store.MaxFileBytes = 10_000_000;
            options.Store.MaxTotalBytes = 15_000_000;
        });
        using TransferClient client = server.Connect();
        SparseFiles.Write(Folder["x"], 10_000_001, 1, (0, 10));
        var tooLarge = await Assert.ThrowsAsync<TransferException>(() => client.PutAsync(Folder["x"], Clients.Name("x")));
        Assert.Equal(TransferError.TooLarge, tooLarge.Error);

        SparseFiles.Write(Folder["x"], 10_000_000, 1, (0, 10));
        await client.PutAsync(Folder["x"], Clients.Name("x"));
        var full = await Assert.ThrowsAsync<TransferException>(() => client.PutAsync(Folder["x"], Clients.Name("y")));
        Assert.Equal(TransferError.NoSpace, full.Error);
    }

    [Fact]
    public async Task List_of_extents_is_a_document_with_the_tag_of_the_file()
    {
        SparseFiles.Write(Server.PathOf("x"), Length, 1, Parts);
        using var client = new HttpClient();
        using HttpResponseMessage list = await client.GetAsync(new Uri(Server.Files, "x?extents"));
        using HttpResponseMessage head = await client.SendAsync(new HttpRequestMessage(HttpMethod.Head, new Uri(Server.Files, "x")));
        Assert.Equal(head.Headers.ETag, list.Headers.ETag);
        Assert.Equal(ExtentList.MediaType, list.Content.Headers.ContentType?.MediaType);
        Assert.True(ExtentList.TryParse(await list.Content.ReadAsByteArrayAsync(), out ExtentList? extents));
        Assert.Equal(SparseFiles.ExtentsOf(Server.PathOf("x")).Extents, extents.Extents);

        // A client that does not ask for the list gets the file.
        using HttpResponseMessage whole = await client.GetAsync(new Uri(Server.Files, "x"));
        Assert.Equal(Length, whole.Content.Headers.ContentLength);
    }

    private TransferClient Connect(TransferProtocol protocol, TransferDelta delta = TransferDelta.Always) => Server.Connect(options =>
    {
        options.Protocol = protocol;
        options.Delta = delta;
    });

    private static void AssertMoved(TransferResult result, byte[] content)
    {
        Assert.Equal(content.Length, result.Length);
        Assert.Equal(Sha256Digest.Compute(content), result.Sha256);
        Assert.Equal(0, result.BytesReused);
        Assert.InRange(result.BytesSent, 0, SparseFiles.AreSupported ? 150_000 : content.Length);
    }

    private static void AssertSame(byte[] content, string path)
    {
        Assert.True(content.AsSpan().SequenceEqual(File.ReadAllBytes(path)), $"'{path}' is another file.");
        if (SparseFiles.AreSupported)
        {
            // Whole blocks of the file system, and holes only of at least some size.
            long data = content.Length - CountZeros(content);
            Assert.InRange(SparseFiles.ExtentsOf(path).DataBytes, 0, data + 400_000);
        }
    }

    private static long CountZeros(byte[] content) => content.AsSpan().Count((byte)0);

    private async Task<HttpResponseMessage> SendDeltaAsync(byte[] delta, long length)
    {
        using var client = new HttpClient();
        using var start = new HttpRequestMessage(HttpMethod.Put, new Uri(Server.Files, "x")) { Content = new ByteArrayContent([]) };
        start.Headers.Add("Upload-Complete", "?0");
        start.Headers.Add("Upload-Length", length.ToString(System.Globalization.CultureInfo.InvariantCulture));
        using HttpResponseMessage started = await client.SendAsync(start);
        Assert.Equal(HttpStatusCode.Created, started.StatusCode);
        var append = new HttpRequestMessage(HttpMethod.Patch, new Uri(Server.Files, started.Headers.Location!)) { Content = new ByteArrayContent(delta) };
        append.Content.Headers.ContentType = new("application/partial-upload");
        append.Headers.Add("Upload-Offset", "0");
        append.Headers.Add("Upload-Complete", "?1");
        append.Headers.Add("Upload-Delta-Base", "none");
        return await client.SendAsync(append);
    }
}
