using System.Reflection;
using Microsoft.AspNetCore.Builder;

namespace Millrace.Transfer.Server.Tests.Uploads;

/// <summary>A join goes on without the client that asked for it: proxies give up before a large file is joined.</summary>
public sealed class JoinTests : ServerTest
{
    private static readonly string Metadata = $"Upload-Metadata: filename {UploadServer.Base64("whole")}";

    private HeldStore _held = null!;

    protected override RunningServerOptions Options => new()
    {
        Map = (application, store, options) =>
        {
            IFileStore held = HeldStore.Of(store);
            _held = (HeldStore)held;
            application.MapMillraceUploads(options.UploadsPath, held, options);
            application.MapMillraceFiles(options.FilesPath, held, options);
        },
    };

    [Theory]
    [InlineData("")]
    [InlineData("If-None-Match: *")]
    public async Task Repetition_finds_a_join_whose_client_has_gone(string condition)
    {
        string[] fields = await FieldsAsync(condition);
        await LeaveAsync(fields);

        Task<HttpResponseMessage> again = Server.TusAsync(HttpMethod.Post, "/uploads", null, fields);
        _held.Release();

        await AssertJoinedAsync(await again, joins: 1);
    }

    [Theory]
    [InlineData("")]
    [InlineData("If-None-Match: *")]
    public async Task Repetition_finds_a_join_that_has_ended(string condition)
    {
        string[] fields = await FieldsAsync(condition);
        await LeaveAsync(fields);
        _held.Release();
        await Bounded.UntilAsync(() => Server.VisibleFiles().Count == 1);

        string first = await AssertJoinedAsync(await Server.TusAsync(HttpMethod.Post, "/uploads", null, fields), joins: 1);
        Assert.Equal(first, await AssertJoinedAsync(await Server.TusAsync(HttpMethod.Post, "/uploads", null, fields), joins: 1));
        using HttpResponseMessage head = await Server.TusAsync(HttpMethod.Head, first);
        Assert.Equal("3", head.Field("Upload-Offset"));
    }

    [Fact]
    public async Task Parts_are_joined_again_once_the_file_is_gone()
    {
        string[] fields = await FieldsAsync("");
        _held.Release();
        string first = await AssertJoinedAsync(await Server.TusAsync(HttpMethod.Post, "/uploads", null, fields), joins: 1);
        await Server.StatusAsync(HttpMethod.Delete, "files/whole");

        Assert.NotEqual(first, await AssertJoinedAsync(await Server.TusAsync(HttpMethod.Post, "/uploads", null, fields), joins: 2));
    }

    [Fact]
    public async Task Join_that_was_refused_can_be_tried_again()
    {
        string[] fields = await FieldsAsync("If-None-Match: *");
        await LeaveAsync(fields);
        await Server.WriteAsync("whole", new byte[] { 9 });
        _held.Release();
        await Bounded.UntilAsync(async () =>
            await Server.TusAsync(HttpMethod.Post, "/uploads", null, fields) is { StatusCode: HttpStatusCode.PreconditionFailed });
        await Server.StatusAsync(HttpMethod.Delete, "files/whole");

        await AssertJoinedAsync(await Server.TusAsync(HttpMethod.Post, "/uploads", null, fields), joins: 2);
    }

    private async Task<string[]> FieldsAsync(string condition)
    {
        (string first, string second) = (await PartAsync([1, 2]), await PartAsync([3]));
        string[] fields = [$"Upload-Concat: final;{first} {second}", Metadata];
        return condition.Length == 0 ? fields : [.. fields, condition];
    }

    /// <summary>Asks for a join, and closes the connection while it runs.</summary>
    private async Task LeaveAsync(string[] fields)
    {
        using RawConnection connection = await RawConnection.OpenAsync(
            Server.Address,
            "POST /uploads HTTP/1.1\r\nHost: localhost\r\nTus-Resumable: 1.0.0\r\n" + string.Join("\r\n", fields) + "\r\nContent-Length: 0\r\n\r\n");
        await _held.Entered.Soon();
    }

    private async Task<string> AssertJoinedAsync(HttpResponseMessage response, int joins)
    {
        using HttpResponseMessage joined = response;
        Assert.Equal(HttpStatusCode.Created, joined.StatusCode);
        Assert.Equal([1, 2, 3], await File.ReadAllBytesAsync(Server.PathOf("whole")));
        Assert.Equal(joins, _held.Joins);
        return joined.Headers.Location!.OriginalString;
    }

    private async Task<string> PartAsync(byte[] content)
    {
        using HttpResponseMessage response = await Server.TusAsync(
            HttpMethod.Post, "/uploads", content, $"Upload-Length: {content.Length}", "Upload-Concat: partial");
        return response.Headers.Location!.OriginalString;
    }

    /// <summary>A store whose joins wait until the test releases them.</summary>
    public class HeldStore : DispatchProxy
    {
        private readonly TaskCompletionSource _entered = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly TaskCompletionSource _released = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private IUploadStore _uploads = null!;
        private IFileStore _store = null!;
        private int _joins;

        public Task Entered => _entered.Task;

        public int Joins => Volatile.Read(ref _joins);

        public static IFileStore Of(IFileStore store)
        {
            IFileStore held = Create<IFileStore, HeldStore>();
            ((HeldStore)held)._store = store;
            IUploadStore uploads = Create<IUploadStore, HeldUploads>();
            ((HeldUploads)uploads).Held = (HeldStore)held;
            ((HeldStore)held)._uploads = uploads;
            return held;
        }

        public void Release() => _released.SetResult();

        protected override object? Invoke(MethodInfo? targetMethod, object?[]? args) => targetMethod!.Name switch
        {
            nameof(IFileStore.Within) or nameof(IFileStore.OnBehalfOf) => this,
            $"get_{nameof(IFileStore.Uploads)}" => _uploads,
            _ => targetMethod.Invoke(_store, BindingFlags.DoNotWrapExceptions, null, args, null),
        };

        private async Task<StoredUpload> JoinAsync(
            StartUploadOptions options, IReadOnlyList<UploadId> parts, CancellationToken cancellationToken)
        {
            Interlocked.Increment(ref _joins);
            _entered.TrySetResult();
            await _released.Task.WaitAsync(cancellationToken);
            return await _store.Uploads.JoinAsync(options, parts, cancellationToken);
        }

        /// <summary>The uploads of that store.</summary>
        public class HeldUploads : DispatchProxy
        {
            public HeldStore Held { get; set; } = null!;

            protected override object? Invoke(MethodInfo? targetMethod, object?[]? args) => targetMethod!.Name switch
            {
                nameof(IUploadStore.JoinAsync) => new ValueTask<StoredUpload>(
                    Held.JoinAsync((StartUploadOptions)args![0]!, (IReadOnlyList<UploadId>)args[1]!, (CancellationToken)args[2]!)),
                _ => targetMethod.Invoke(Held._store.Uploads, BindingFlags.DoNotWrapExceptions, null, args, null),
            };
        }
    }
}
