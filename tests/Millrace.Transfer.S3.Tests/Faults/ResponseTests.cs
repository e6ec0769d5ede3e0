using System.Globalization;
using System.Text.RegularExpressions;

namespace Millrace.Transfer.S3.Tests.Faults;

/// <summary>Responses of a service as the client of the store reads them.</summary>
public sealed class ResponseTests
{
    private const string List =
        "<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Name>files</Name><MaxKeys>1000</MaxKeys><IsTruncated>false</IsTruncated></ListBucketResult>";

    private const string Refusal = "<Error><Code>NoSuchBucket</Code></Error>";

    private const string Completed =
        "<CompleteMultipartUploadResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Key>name</Key><ETag>\"tag\"</ETag></CompleteMultipartUploadResult>";

    /// <summary>The SDK compares contents with one that has no dash.</summary>
    private const string Tag = "0123456789abcdef0123456789abcdef-2";

    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(10);

    [Theory, InlineData(200), InlineData(404)]
    public async Task Cancelled_list_ends_and_holds_no_other_request_up(int status)
    {
        var headSent = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var isCancelled = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using var service = new RawService(async (request, send) =>
        {
            if (request.StartsWith("DELETE", StringComparison.Ordinal))
            {
                await send("HTTP/1.1 204 No Content\r\n\r\n");
                return;
            }

            await send($"HTTP/1.1 {status} Status\r\nTransfer-Encoding: chunked\r\nContent-Type: application/xml\r\n\r\n");
            headSent.TrySetResult();
            await isCancelled.Task;
            await send(Chunk(status == 200 ? List : Refusal) + Chunk(""));
        });
        using var cancelled = new CancellationTokenSource();
        Task<ListObjectsV2Response> list = service.Client.ListObjectsV2Async(new ListObjectsV2Request { BucketName = "files" }, cancelled.Token);
        await headSent.Task.WaitAsync(Bounded.Patience);

        // The client needs a moment to read the head; without that, there is nothing to test.
        await Task.Delay(50);
        await cancelled.CancelAsync();
        isCancelled.SetResult();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => list.WaitAsync(Bounded.Patience));
        for (int i = 0; i < 3; i++)
        {
            await service.Client.DeleteObjectAsync(new DeleteObjectRequest { BucketName = "files", Key = "name" }).WaitAsync(Bounded.Patience);
        }
    }

    [Theory, InlineData(0), InlineData(65 << 20), InlineData(5L << 40)]
    public async Task Object_of_any_length_is_described(long length)
    {
        await using var service = new RawService((_, send) => send($"HTTP/1.1 200 OK\r\nETag: \"tag\"\r\nContent-Length: {length}\r\n\r\n"));
        GetObjectMetadataResponse found = await service.Client.GetObjectMetadataAsync(
            new GetObjectMetadataRequest { BucketName = "files", Key = "name" }).WaitAsync(Bounded.Patience);
        Assert.Equal((length, "\"tag\""), (found.ContentLength, found.ETag));
    }

    [Theory, InlineData($"\"{Tag}\""), InlineData(Tag)]
    public async Task Contents_of_an_object_are_not_awaited(string tag)
    {
        await using var service = new RawService((_, send) => send($"HTTP/1.1 200 OK\r\nETag: {tag}\r\nContent-Length: {5L << 40}\r\n\r\nfirst"));
        using GetObjectResponse found = await service.Client.GetObjectAsync(
            new GetObjectRequest { BucketName = "files", Key = "name" }).WaitAsync(Bounded.Patience);
        byte[] first = new byte[5];
        await found.ResponseStream.ReadExactlyAsync(first).AsTask().WaitAsync(Bounded.Patience);
        Assert.Equal("first"u8, first);
    }

    /// <remarks>The pauses are half of the timeout, so that a machine may be slow, and longer together.</remarks>
    [Fact, Trait("Tier", "All")]
    public async Task Service_that_sends_spaces_until_it_is_done_is_awaited()
    {
        await using var service = new RawService(
            async (_, send) =>
            {
                await send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: application/xml\r\n\r\n");
                for (int i = 0; i < 3; i++)
                {
                    await Task.Delay(Timeout / 2);
                    await send(Chunk(" "));
                }

                await send(Chunk(Completed) + Chunk(""));
            },
            Timeout);
        CompleteMultipartUploadResponse completed = await service.Client.CompleteMultipartUploadAsync(new CompleteMultipartUploadRequest
        {
            BucketName = "files",
            Key = "name",
            UploadId = "upload",
            PartETags = [new PartETag(1, "part")],
        }).WaitAsync(Bounded.Patience);
        Assert.Equal("\"tag\"", completed.ETag);
        Assert.Equal(1, service.Requests);
    }

    [Fact]
    public async Task Service_that_sends_no_more_is_given_up()
    {
        await using var service = new RawService(
            (_, send) => send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: application/xml\r\n\r\n"), TimeSpan.FromMilliseconds(100));
        await Assert.ThrowsAnyAsync<TimeoutException>(
            () => service.Client.ListObjectsV2Async(new ListObjectsV2Request { BucketName = "files" }).WaitAsync(Bounded.Patience));
        Assert.True(service.Requests > 1, $"{service.Requests} requests");
    }

    [Theory, InlineData(false), InlineData(true)]
    public async Task Reader_that_was_cancelled_reads_on_where_it_was(bool isHeadSent)
    {
        const int Request = 16 << 20;
        var cancelled = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var asked = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using var service = new RawService(async (request, send) =>
        {
            Match range = Regex.Match(request, "(?i)range: bytes=([0-9]+)-([0-9]+)");
            int from = int.Parse(range.Groups[1].Value, CultureInfo.InvariantCulture);
            int count = int.Parse(range.Groups[2].Value, CultureInfo.InvariantCulture) + 1 - from;
            string head = $"HTTP/1.1 206 Partial Content\r\nETag: \"{Tag}\"\r\nContent-Length: {count}\r\n\r\n";
            if (from == 0 && !cancelled.Task.IsCompleted)
            {
                await send(isHeadSent ? head : "");
                asked.TrySetResult();
                await cancelled.Task;
                await send(isHeadSent ? "" : head);
            }
            else
            {
                await send(head);
            }

            await send(new string((char)('a' + (from / Request)), count));
        });
        var file = new StoredFile("name".Name(), 3 * Request, DateTimeOffset.UnixEpoch, new EntityTag(Tag), null);
        await using var stream = new RangeStream(new Bucket(service.Client, "files"), "name", file, new ByteRange(0, file.Length));
        byte[] buffer = new byte[128 * 1024];
        using var reading = new CancellationTokenSource();
        Task<int> first = stream.ReadAsync(buffer, reading.Token).AsTask();
        await asked.Task.WaitAsync(Bounded.Patience);
        await reading.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => first.WaitAsync(Bounded.Patience));
        cancelled.SetResult();

        long[] counts = new long[3];
        while (await stream.ReadAsync(buffer).AsTask().WaitAsync(Bounded.Patience) is > 0 and var count)
        {
            Assert.Equal(-1, buffer.AsSpan(0, count).IndexOfAnyExcept(buffer[0]));
            counts[buffer[0] - 'a'] += count;
        }

        Assert.Equal([Request, Request, Request], counts);
    }

    private static string Chunk(string text) => $"{text.Length:x}\r\n{text}\r\n";
}
