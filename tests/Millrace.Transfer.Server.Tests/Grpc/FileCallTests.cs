using Millrace.Transfer.Messages;

namespace Millrace.Transfer.Server.Tests.Grpc;

/// <summary>Stat, List, Delete, Move and CreateFolder.</summary>
public sealed class FileCallTests : GrpcTest
{
    [Theory, EveryForm]
    public async Task Stat_reports_the_files_metadata(string form)
    {
        byte[] content = Content.Of(5000);
        Put("a", content);
        GrpcReply reply = await CallAsync(form, "Stat", Frames.Of(new StatRequest { Name = "a", WantSha256 = true }));
        FileVersion info = reply.Only(FileVersion.Parser);
        Assert.Equal(("a", 5000L), (info.Name, info.Length));
        Assert.Equal(SHA256.HashData(content), info.Sha256.ToByteArray());
        Assert.Equal(File.GetLastWriteTimeUtc(PathOf("a")), info.Modified.ToDateTime());
    }

    [Fact]
    [NeedsLocalFolder]
    public async Task Missing_file_is_not_found()
    {
        Directory.CreateDirectory(PathOf("folder"));
        (await CallAsync("Stat", new StatRequest { Name = "a" })).Failed(5, TransferError.NotFound);
        (await CallAsync("Stat", new StatRequest { Name = "folder" })).Failed(5, TransferError.NotFound);
        (await CallAsync("List", new ListRequest { Folder = "none" })).Failed(5, TransferError.NotFound);
    }

    [Theory, EveryForm]
    [NeedsLocalFolder]
    public async Task A_folder_is_listed_in_order_over_all_its_pages(string form)
    {
        string[] names = [.. Enumerable.Range(0, 2345).Select(static i => $"f{i:0000}")];
        foreach (string name in names)
        {
            Put(name, []);
        }

        Directory.CreateDirectory(PathOf("g"));
        List<ListEntry> entries = await ListAsync(form, new ListRequest());
        Assert.Equal([.. names, "g"], entries.Select(static entry => entry.Name));
        Assert.All(entries.SkipLast(1), static entry => Assert.Equal(entry.Name, entry.File.Name));
        Assert.True(entries[^1].IsFolder);
        Assert.Null(entries[^1].File);
    }

    [Fact]
    public async Task Listing_page_has_the_requested_count_after_a_name()
    {
        foreach (string name in (string[])["a", "b", "c", "d"])
        {
            Put(name, []);
        }

        Assert.Equal(["c"], Names(await ListAsync("grpc", new ListRequest { After = "b", Limit = 1 })));
        Assert.Equal(["c", "d"], Names(await ListAsync("grpc", new ListRequest { After = "b" })));
        Assert.Equal(["a", "b", "c"], Names(await ListAsync("grpc", new ListRequest { Limit = 3 })));
        (await CallAsync("List", new ListRequest { Limit = -1 })).Failed(3, TransferError.InvalidRequest);
    }

    [Fact]
    [NeedsLocalFolder]
    public async Task Recursive_listing_includes_files_of_subfolders()
    {
        Directory.CreateDirectory(PathOf("x/y"));
        Put("x/y/a", []);
        Put("x/b", []);
        Assert.Equal(["x/b", "x/y/a"], Names(await ListAsync("grpc", new ListRequest { Folder = "x", Recursive = true })));
        Assert.Equal(["x/b", "x/y"], Names(await ListAsync("grpc", new ListRequest { Folder = "x" })));
    }

    [Theory, EveryForm]
    [NeedsLocalFolder]
    public async Task Empty_folder_is_an_empty_stream(string form)
    {
        Directory.CreateDirectory(PathOf("x"));
        Assert.Empty(await ListAsync(form, new ListRequest { Folder = "x" }));
    }

    [Theory, EveryForm]
    public async Task Hidden_files_are_deleted_with_their_folder_on_request(string form)
    {
        await ServeAsync(host: static options => options.HiddenNames = [".*"]);
        Put("f/a", []);
        Put("f/.b", []);
        GrpcReply kept = await CallAsync(form, "Delete", Frames.Of(new DeleteRequest { Name = "f", Recursive = true }));
        kept.Failed(9, TransferError.InvalidRequest);
        Assert.Equal("1", kept.Trailers["millrace-hidden"]);
        Assert.True(File.Exists(PathOf("f/a")) && File.Exists(PathOf("f/.b")));
        byte[] request = Frames.Of(new DeleteRequest { Name = "f", Recursive = true, IncludeHidden = true });
        Assert.True((await CallAsync(form, "Delete", request)).Only(DeleteResponse.Parser).Deleted);
        Assert.False(File.Exists(PathOf("f/a")) || File.Exists(PathOf("f/.b")));
    }

    [Theory, EveryForm]
    [NeedsLocalFolder]
    public async Task Hidden_files_are_moved_with_their_folder_on_request(string form)
    {
        await ServeAsync(host: static options => options.HiddenNames = [".*"]);
        Put("f/.b", []);
        GrpcReply kept = await CallAsync(form, "Move", Frames.Of(new MoveRequest { From = "f", To = "g" }));
        kept.Failed(9, TransferError.InvalidRequest);
        Assert.Equal("1", kept.Trailers["millrace-hidden"]);
        Assert.Null((await CallAsync(form, "Move", Frames.Of(new MoveRequest { From = "f", To = "g", IncludeHidden = true }))).Only(MoveResponse.Parser).File);
        Assert.True(File.Exists(PathOf("g/.b")) && !File.Exists(PathOf("f/.b")));
    }

    [Theory, EveryForm]
    public async Task File_is_deleted_once(string form)
    {
        Put("a", []);
        byte[] request = Frames.Of(new DeleteRequest { Name = "a" });
        Assert.True((await CallAsync(form, "Delete", request)).Only(DeleteResponse.Parser).Deleted);
        Assert.False((await CallAsync(form, "Delete", request)).Only(DeleteResponse.Parser).Deleted);
        Assert.False(File.Exists(PathOf("a")));
    }

    [Fact]
    public async Task Another_version_is_not_deleted()
    {
        Put("a", []);
        var request = new DeleteRequest { Name = "a", Precondition = new Precondition { Tags = { "other" } } };
        (await CallAsync("Delete", request)).Failed(9, TransferError.PreconditionFailed);
        Assert.True(File.Exists(PathOf("a")));
    }

    [Theory, EveryForm]
    [NeedsLocalFolder]
    public async Task Folder_is_created_and_deleted_with_everything_in_it(string form)
    {
        byte[] create = Frames.Of(new CreateFolderRequest { Name = "x" });
        (await CallAsync(form, "CreateFolder", create)).Only(CreateFolderResponse.Parser);
        (await CallAsync(form, "CreateFolder", create)).Failed(6, TransferError.AlreadyExists);
        (await CallAsync("CreateFolder", new CreateFolderRequest { Name = "none/x" })).Failed(5, TransferError.NotFound);
        Put("x/a", []);

        var delete = new DeleteRequest { Name = "x" };
        (await CallAsync(form, "Delete", Frames.Of(delete))).Failed(9, TransferError.InvalidRequest);
        delete.Recursive = true;
        (await CallAsync("Delete", new DeleteRequest(delete) { Precondition = new Precondition { MustExist = true } }))
            .Failed(3, TransferError.InvalidRequest);
        Assert.True((await CallAsync(form, "Delete", Frames.Of(delete))).Only(DeleteResponse.Parser).Deleted);
        Assert.False((await CallAsync(form, "Delete", Frames.Of(delete))).Only(DeleteResponse.Parser).Deleted);
        Assert.False(Directory.Exists(PathOf("x")));
    }

    [Theory, EveryForm]
    [NeedsLocalFolder]
    public async Task Files_and_folders_are_moved(string form)
    {
        Directory.CreateDirectory(PathOf("x"));
        Put("x/a", [1]);
        Put("b", [2, 3]);

        MoveResponse moved = (await CallAsync(form, "Move", Frames.Of(new MoveRequest { From = "x/a", To = "x/c" }))).Only(MoveResponse.Parser);
        Assert.Equal(("x/c", 1L), (moved.File.Name, moved.File.Length));
        Assert.Null((await CallAsync(form, "Move", Frames.Of(new MoveRequest { From = "x", To = "y" }))).Only(MoveResponse.Parser).File);

        var taken = new MoveRequest { From = "b", To = "y/c", Precondition = new Precondition { Tags = { "other" } } };
        (await CallAsync("Move", taken)).Failed(9, TransferError.PreconditionFailed);
        taken.Precondition = null;
        (await CallAsync("Move", taken)).Failed(6, TransferError.AlreadyExists);
        taken.Replace = true;
        Assert.Equal(2, (await CallAsync(form, "Move", Frames.Of(taken))).Only(MoveResponse.Parser).File.Length);
        Assert.Equal([2, 3], File.ReadAllBytes(PathOf("y/c")));
        (await CallAsync("Move", taken)).Failed(5, TransferError.NotFound);
        (await CallAsync("Move", new MoveRequest { From = "y", To = "y/z" })).Failed(3, TransferError.InvalidRequest);
        (await CallAsync("Move", new MoveRequest { From = "y", To = ".millrace/z" })).Failed(3, TransferError.InvalidName);
    }

    private static IEnumerable<string> Names(List<ListEntry> entries) => entries.Select(static entry => entry.Name);

    private async Task<List<ListEntry>> ListAsync(string form, ListRequest request)
    {
        GrpcReply reply = await CallAsync(form, "List", Frames.Of(request));
        Assert.Equal(0, reply.Status);
        return [.. reply.Messages.Select(ListEntry.Parser.ParseFrom)];
    }
}
