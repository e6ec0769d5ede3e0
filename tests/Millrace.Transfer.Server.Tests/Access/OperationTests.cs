using System.Net.Http.Headers;
using Google.Protobuf;
using Millrace.Transfer.Messages;
using Millrace.Transfer.Server.Tests.Grpc;

namespace Millrace.Transfer.Server.Tests.Access;

/// <summary>The scopes that each operation needs: the same in every protocol, as docs/access.md has it.</summary>
public sealed class OperationTests : GrpcTest
{
    private static readonly byte[] Small = Content.Of(100);

    /// <summary>A delta that refers to nothing.</summary>
    private static readonly byte[] Delta = [DeltaFormat.Version, 0xC8, 1, .. Small];

    private string _tag = "";

    /// <summary>The table.</summary>
    private static readonly Dictionary<Operation, TransferScope> Needs = new()
    {
        [Operation.Stat] = TransferScope.Read,
        [Operation.Download] = TransferScope.Read,
        [Operation.List] = TransferScope.List,
        [Operation.StatList] = TransferScope.List,
        [Operation.Search] = TransferScope.List,
        [Operation.Measure] = TransferScope.List,
        [Operation.Archive] = TransferScope.List | TransferScope.Read,
        [Operation.StatArchive] = TransferScope.List | TransferScope.Read,
        [Operation.ArchiveSome] = TransferScope.List | TransferScope.Read,
        [Operation.DownloadBatch] = TransferScope.Read,
        [Operation.Blocks] = TransferScope.Read,
        [Operation.Extents] = TransferScope.Read,
        [Operation.Upload] = TransferScope.Write,
        [Operation.Delete] = TransferScope.Delete,
        [Operation.DeleteFolder] = TransferScope.Delete | TransferScope.List,
        [Operation.Move] = TransferScope.Write | TransferScope.Delete,
        [Operation.CreateFolder] = TransferScope.Write,
        [Operation.StartUpload] = TransferScope.Write,
        [Operation.AppendUpload] = TransferScope.Write,
        [Operation.AppendDelta] = TransferScope.Write | TransferScope.Read,
        [Operation.StreamUpload] = TransferScope.Write,
        [Operation.QueryUpload] = TransferScope.Write,
        [Operation.CommitUpload] = TransferScope.Write,
        [Operation.AbortUpload] = TransferScope.Write,
    };

    public enum Protocol
    {
        Http1,
        Http2,
        Tus,
        Draft,
        Grpc,
        GrpcWeb,
        GrpcWebText,
    }

    public enum Operation
    {
        Stat,
        Download,
        List,
        StatList,
        Search,
        Measure,
        Archive,
        StatArchive,
        ArchiveSome,
        DownloadBatch,
        Blocks,
        Extents,
        Upload,
        Delete,
        DeleteFolder,
        Move,
        CreateFolder,
        StartUpload,
        AppendUpload,
        AppendDelta,
        StreamUpload,
        QueryUpload,
        CommitUpload,
        AbortUpload,
    }

    public static TheoryData<Protocol, Operation> Offered()
    {
        var data = new TheoryData<Protocol, Operation>();
        foreach (Protocol protocol in Enum.GetValues<Protocol>())
        {
            foreach (Operation operation in Enum.GetValues<Operation>().Where(operation => Offers(protocol, operation)))
            {
                data.Add(protocol, operation);
            }
        }

        return data;
    }

    [Theory, MemberData(nameof(Offered))]
    public async Task Operation_needs_its_scopes_in_every_protocol(Protocol protocol, Operation operation)
    {
        var tokens = new TokenStore(TokenStore.DefaultPath(Server.Folder));
        await tokens.AddAsync("admin", TransferScope.All);
        TransferScope needed = Needs[operation];
        IEnumerable<TransferScope> tooFew = Enum.GetValues<TransferScope>()
            .Where(one => one is not (TransferScope.None or TransferScope.All) && (needed & one) == one)
            .Select(static one => TransferScope.All & ~one);
        foreach (TransferScope scopes in tooFew.Prepend(needed))
        {
            Directory.CreateDirectory(PathOf("x"));
            Put("x/a", Small);
            Put("x/upload", Small);

            // The upload belongs to the name of a token.
            string all = (await tokens.AddAsync("one", TransferScope.All)).Secret;
            string upload = await StartAsync(all, operation == Operation.AppendDelta);
            GrpcReply stat = await CallAsync(GrpcForm.Http2, "Stat", Frames.Of(new StatRequest { Name = "x/upload" }), Bearer(all));
            _tag = stat.Only(FileVersion.Parser).Tag;
            await tokens.RemoveAsync("one");
            string token = (await tokens.AddAsync("one", scopes)).Secret;

            bool allowed = await TryAsync(protocol, operation, upload, token);

            Assert.True(allowed == (scopes == needed), $"{scopes} is allowed {operation}: {allowed}");
            await tokens.RemoveAsync("one");
        }
    }

    [Theory]
    [InlineData("x/a", "y/a")]
    [InlineData("y/a", "x/a")]
    [InlineData("x/a", "xy")]
    [InlineData("x", "y")]
    [NeedsLocalFolder]
    public async Task Moving_needs_a_prefix_that_has_both_names(string from, string to)
    {
        var tokens = new TokenStore(TokenStore.DefaultPath(Server.Folder));
        string token = (await tokens.AddAsync("one", TransferScope.All, TransferName.Parse("x"))).Secret;
        Directory.CreateDirectory(PathOf("x"));
        Directory.CreateDirectory(PathOf("y"));
        Put(from.Contains('/') ? from : "x/a", Small);

        (await CallAsync(GrpcForm.Http2, "Move", Frames.Of(new MoveRequest { From = from, To = to, Replace = true }), Bearer(token)))
            .Failed(7, TransferError.Forbidden);
        using var request = new HttpRequestMessage(new HttpMethod("MOVE"), new Uri(Server.Server.Address, $"/files/{from}"));
        request.Headers.Authorization = new AuthenticationHeaderValue("Bearer", token);
        request.Headers.Add("Destination", $"/files/{to}");
        using HttpResponseMessage response = await Http2.SendAsync(request);
        Assert.Equal(HttpStatusCode.Forbidden, response.StatusCode);
    }

    private static bool Offers(Protocol protocol, Operation operation) => protocol switch
    {
        // A bucket has no step for these.
        _ when TestedStore.IsBucket && operation is (Operation.DeleteFolder or Operation.Move or Operation.CreateFolder) => false,
        Protocol.Http1 or Protocol.Http2 => operation <= Operation.CreateFolder,
        Protocol.Tus or Protocol.Draft =>
            operation >= Operation.StartUpload && operation is not (Operation.StreamUpload or Operation.CommitUpload),
        _ => operation is not (Operation.StatList or Operation.Measure or Operation.Archive or Operation.StatArchive or Operation.ArchiveSome or Operation.DownloadBatch),
    };

    private async Task<string> StartAsync(string token, bool hasLength)
    {
        var request = new StartUploadRequest { Name = "x/upload" };
        if (hasLength)
        {
            request.Length = Small.Length;
        }

        GrpcReply started = await CallAsync(GrpcForm.Http2, "StartUpload", Frames.Of(request), Bearer(token));
        return started.Only(Messages.UploadStatus.Parser).Upload;
    }

    /// <returns>Whether it was done; anything but that and a refusal because of the token fails the test.</returns>
    private async Task<bool> TryAsync(Protocol protocol, Operation operation, string upload, string token)
    {
        if (protocol >= Protocol.Grpc)
        {
            (string method, byte[] body) = ToCall(operation, upload);
            GrpcForm form = protocol == Protocol.Grpc ? GrpcForm.Http2 : protocol == Protocol.GrpcWeb ? GrpcForm.Web : GrpcForm.WebText;
            GrpcReply reply = await CallAsync(form, method, body, Bearer(token));
            Assert.True(reply.Status is 0 or 7, $"{reply.Status}: {reply.Message}");
            return reply.Status == 0;
        }

        using HttpRequestMessage request = ToRequest(protocol, operation, upload);
        request.Headers.Authorization = new AuthenticationHeaderValue("Bearer", token);
        using HttpResponseMessage response = await Http2.SendAsync(request);
        Assert.True(response.IsSuccessStatusCode || response.StatusCode == HttpStatusCode.Forbidden, $"{response.StatusCode}");
        return response.IsSuccessStatusCode;
    }

    private static (string Name, string Value) Bearer(string token) => ("authorization", $"Bearer {token}");

    private (string Method, byte[] Body) ToCall(Operation operation, string upload)
    {
        (string, IMessage) Of(string method, IMessage message) => (method, message);
        if (operation is Operation.Upload or Operation.StreamUpload or Operation.AppendUpload or Operation.AppendDelta)
        {
            return operation switch
            {
                Operation.AppendDelta => ("UploadPart", Frames.Of(
                    new UploadPartRequest { Upload = upload, DeltaBase = _tag, Data = ByteString.CopyFrom(Delta) })),
                Operation.Upload => ("Upload", Frames.Upload("x/new", Small)),
                Operation.StreamUpload => ("Upload", Frames.Join(Frames.Head(upload, 0), Frames.Data(Small), Frames.End(Small.Length))),
                _ => ("UploadPart", ResumableTests.Part(upload, 0, Small)),
            };
        }

        (string method, IMessage message) = operation switch
        {
            Operation.Stat => Of("Stat", new StatRequest { Name = "x/a" }),
            Operation.Download => Of("Download", new DownloadRequest { Name = "x/a" }),
            Operation.Blocks => Of("Blocks", new BlocksRequest { Name = "x/a" }),
            Operation.Extents => Of("Extents", new ExtentsRequest { Name = "x/a" }),
            Operation.List => Of("List", new ListRequest { Folder = "x" }),
            Operation.Search => Of("Search", new SearchRequest { Folder = "x", Text = "a" }),
            Operation.Delete => Of("Delete", new DeleteRequest { Name = "x/a" }),
            Operation.DeleteFolder => Of("Delete", new DeleteRequest { Name = "x", Recursive = true }),
            Operation.Move => Of("Move", new MoveRequest { From = "x/a", To = "x/moved", Replace = true }),
            Operation.CreateFolder => Of("CreateFolder", new CreateFolderRequest { Name = $"x/{Guid.NewGuid()}" }),
            Operation.StartUpload => Of("StartUpload", new StartUploadRequest { Name = "x/other" }),
            Operation.QueryUpload => Of("QueryUpload", new QueryUploadRequest { Upload = upload }),
            Operation.CommitUpload => Of("CommitUpload", new CommitUploadRequest { Upload = upload }),
            _ => Of("AbortUpload", new AbortUploadRequest { Upload = upload }),
        };
        return (method, Frames.Of(message));
    }

    private HttpRequestMessage ToRequest(Protocol protocol, Operation operation, string upload)
    {
        bool isTus = protocol == Protocol.Tus;
        (HttpMethod method, string path) = operation switch
        {
            Operation.Stat => (HttpMethod.Head, "/files/x/a"),
            Operation.Download => (HttpMethod.Get, "/files/x/a"),
            Operation.List => (HttpMethod.Get, "/files/x/"),
            Operation.StatList => (HttpMethod.Head, "/files/x/"),
            Operation.Search => (HttpMethod.Get, "/files/x/?search=a"),
            Operation.Measure => (HttpMethod.Get, "/files/x/?usage"),
            Operation.Archive => (HttpMethod.Get, "/files/x/?archive=tar"),
            Operation.StatArchive => (HttpMethod.Head, "/files/x/?archive=zip"),
            Operation.ArchiveSome => (HttpMethod.Post, "/files/x/?archive=zip"),
            Operation.DownloadBatch => (HttpMethod.Post, "/files/x/?batch=get"),
            Operation.Blocks => (HttpMethod.Get, "/files/x/a?blocks"),
            Operation.Extents => (HttpMethod.Get, "/files/x/a?extents"),
            Operation.Upload => (HttpMethod.Put, "/files/x/new"),
            Operation.Delete => (HttpMethod.Delete, "/files/x/a"),
            Operation.DeleteFolder => (HttpMethod.Delete, "/files/x/"),
            Operation.Move => (new HttpMethod("MOVE"), "/files/x/a"),
            Operation.CreateFolder => (new HttpMethod("MKCOL"), $"/files/x/{Guid.NewGuid()}/"),
            Operation.StartUpload => isTus ? (HttpMethod.Post, "/uploads") : (HttpMethod.Put, "/files/x/other"),
            Operation.AppendUpload or Operation.AppendDelta => (HttpMethod.Patch, $"/uploads/{upload}"),
            Operation.QueryUpload => (HttpMethod.Head, $"/uploads/{upload}"),
            _ => (HttpMethod.Delete, $"/uploads/{upload}"),
        };
        bool isHttp2 = protocol == Protocol.Http2;
        var request = new HttpRequestMessage(method, new Uri(isHttp2 ? Server.Server.Http2Address! : Server.Server.Address, path))
        {
            Version = isHttp2 ? HttpVersion.Version20 : HttpVersion.Version11,
            VersionPolicy = HttpVersionPolicy.RequestVersionExact,
        };
        List<(string Name, string Value)> fields = isTus ? [("Tus-Resumable", "1.0.0")] : [];
        if (operation is Operation.Upload or Operation.AppendUpload or Operation.AppendDelta)
        {
            request.Content = new ByteArrayContent(operation == Operation.AppendDelta ? Delta : Small);
            request.Content.Headers.ContentType = new(isTus ? "application/offset+octet-stream" : "application/partial-upload");
        }

        if (operation == Operation.ArchiveSome)
        {
            request.Content = new FormUrlEncodedContent([new("only", "a")]);
        }

        if (operation == Operation.DownloadBatch)
        {
            request.Content = new StringContent(Batch.Name("a"), new MediaTypeHeaderValue(BatchFileDocument.ResultsMediaType));
        }

        if (operation is Operation.DeleteFolder or Operation.Move)
        {
            fields.Add(operation == Operation.Move ? ("Destination", "/files/x/moved") : ("Depth", "infinity"));
        }

        if (operation is Operation.AppendUpload or Operation.AppendDelta)
        {
            fields.Add(("Upload-Offset", "0"));
        }

        if (operation == Operation.AppendDelta)
        {
            fields.Add((TransferHeaders.UploadDeltaBase, $"\"{_tag}\""));
        }

        if (operation == Operation.StartUpload && isTus)
        {
            fields.AddRange([("Upload-Length", "100"), ("Upload-Metadata", "filename eC9vdGhlcg==")]);
        }
        else if (operation is Operation.StartUpload or Operation.AppendUpload or Operation.AppendDelta && !isTus)
        {
            fields.Add(("Upload-Complete", "?0"));
        }

        foreach ((string name, string value) in fields)
        {
            Assert.True(request.Headers.TryAddWithoutValidation(name, value));
        }

        return request;
    }
}
