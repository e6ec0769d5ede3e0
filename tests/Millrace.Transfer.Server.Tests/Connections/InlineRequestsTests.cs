using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Millrace.Kestrel;
using Millrace.Testing;

namespace Millrace.Transfer.Server.Tests.Connections;

/// <summary>Which requests may run on the thread that waits for the events of sockets.</summary>
public sealed class InlineRequestsTests : FolderTests
{
    [Theory]
    [InlineData("GET", "/files/name", "", true)]
    [InlineData("HEAD", "/files/name", "", false)]
    [InlineData("PUT", "/files/name", "Content-Length: 5", false)]
    [InlineData("GET", "/files/name", "Content-Length: 5", false)]
    [InlineData("GET", "/files/name", "Transfer-Encoding: chunked", false)]
    [InlineData("GET", "/files/name", "Authorization: Bearer x", false)]
    [InlineData("GET", "/files/name", "Cookie: a=b", false)]
    [InlineData("GET", "/files/name", "Accept-Encoding: gzip", false)]
    [InlineData("GET", "/files/name", "If: (<urn:uuid:1>)", false)]
    [InlineData("GET", "/files/name?search=x", "", false)]
    [InlineData("GET", "/files/folder/", "", false)]
    [InlineData("GET", "/uploads/1", "", false)]
    public async Task Only_plain_downloads_stay_on_the_thread_of_events(string method, string target, string field, bool stays)
    {
        await using var store = new LocalFileStore(Folder.Path);
        var connection = new Connection { RunsInline = !stays };
        HttpContext context = Request(method, target, field);
        context.Features.Set<IInlineRequestsFeature>(connection);
        if (target.StartsWith("/files", StringComparison.Ordinal))
        {
            var handler = new FileHandler(store, new TransferServerOptions());
            context.SetEndpoint(new Endpoint(handler.HandleAsync, new EndpointMetadataCollection(handler), "files"));
        }

        Assert.Equal(!stays, await RunsInPoolAsync(context));
        Assert.Equal(stays, connection.RunsInline);
    }

    [Fact]
    public async Task Requests_over_http2_stay_where_they_are()
    {
        var connection = new Connection();
        HttpContext context = Request("PUT", "/files/name", "");
        context.Request.Protocol = "HTTP/2";
        context.Features.Set<IInlineRequestsFeature>(connection);
        Assert.False(await RunsInPoolAsync(context));
        Assert.False(connection.RunsInline);
    }

    [Fact]
    public async Task File_that_is_not_in_memory_is_opened_in_the_pool()
    {
        Folder.Write("name", Content.Random(1000));
        await using var store = new LocalFileStore(Folder.Path);
        var opened = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);

        // The pool goes on with what this thread has begun, but not before the thread has looked.
        var begun = new AsyncLocal<bool>(change =>
        {
            if (change.CurrentValue && Thread.CurrentThread.IsThreadPoolThread)
            {
                opened.Task.Wait(Bounded.Patience);
            }
        });
        var thread = new Thread(() =>
        {
            begun.Value = true;
            Task<StoredFileReader> opening = store.OpenReadAsync(TransferName.Parse("name"), DigestNeed.IfKnown, default).AsTask();
            opened.SetResult(opening.IsCompleted);
            opening.ContinueWith(static reader => reader.Result.DisposeAsync().AsTask().Wait(), TaskScheduler.Default).Wait();
        });
        thread.Start();
        Assert.False(await opened.Task.Soon());
        thread.Join();
    }

    [Fact]
    public void Folders_of_this_machine_are_served_so()
    {
        Assert.Equal(new DriveInfo(Folder.Path).DriveType is DriveType.Fixed or DriveType.Ram, InlineRequests.CanServe(Folder.Path));
        Assert.False(InlineRequests.CanServe(Path.Combine(Folder.Path, "missing", "folder")));
    }

    private static DefaultHttpContext Request(string method, string target, string field)
    {
        var context = new DefaultHttpContext();
        context.Request.Protocol = "HTTP/1.1";
        context.Request.Method = method;
        context.Request.Path = target.Split('?')[0];
        context.Request.QueryString = new QueryString(target[context.Request.Path.Value!.Length..]);
        if (field.Length > 0)
        {
            context.Request.Headers[field.Split(": ")[0]] = field.Split(": ")[1];
        }

        return context;
    }

    /// <summary>Begins a request on a thread outside of the pool.</summary>
    private static async Task<bool> RunsInPoolAsync(HttpContext context)
    {
        var ran = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        var thread = new Thread(() => _ = InlineRequests.RunAsync(context, _ =>
        {
            ran.SetResult(Thread.CurrentThread.IsThreadPoolThread);
            return Task.CompletedTask;
        }));
        thread.Start();
        return await ran.Task.Soon();
    }

    private sealed class Connection : IInlineRequestsFeature
    {
        public bool RunsInline { get; set; }
    }
}
