using System.Text;

namespace Millrace.Fuzz.Tests;

/// <summary>Requests over HTTP/1.1 that are almost right, of every kind that the server knows.</summary>
public sealed class Http1FuzzTests(FuzzedServer server) : IClassFixture<FuzzedServer>
{
    private static readonly string[] _requests =
    [
        "GET /files/a.bin HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nRange: bytes=1-5,7-,-3\r\nIf-Range: \"x\"\r\n\r\n",
        "GET /files/text.txt HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAccept-Encoding: gzip;q=0.5, br\r\nIf-None-Match: \"a\", W/\"b\"\r\n\r\n",
        "HEAD /files/sub/b.txt HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nWant-Repr-Digest: sha-256=1\r\n\r\n",
        "GET /files/?limit=2&after=a&prefix=s&recursive HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAccept: application/json\r\n\r\n",
        "GET /files/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAccept: text/html\r\n\r\n",
        "GET /files/sub/?archive=zip HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\nGET /files/sub/?archive=tar HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        "PUT /files/new/p.bin HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 5\r\nIf-Match: *\r\n\r\nhello",
        "PUT /files/q.bin HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTransfer-Encoding: chunked\r\nTrailer: Repr-Digest\r\n\r\n"
            + "5\r\nhello\r\n1;x=y\r\n!\r\n0\r\nRepr-Digest: sha-256=:zgBgMPKihA2DL4kW5gs2vLMfkqp5i1z0i7zL4JVrJwg=:\r\n\r\n",
        "PUT /files/z.txt HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Encoding: gzip\r\nContent-Length: 25\r\n\r\n"
            + "\u001f\u008b\u0008\0\0\0\0\0\0\u0003\u00cbH\u00cd\u00c9\u00c9\u0007\0\u0086\u00a6\u00106\u0005\0\0\0",
        "PUT /files/d.bin HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nUpload-Complete: ?0\r\nUpload-Length: 12\r\nContent-Length: 5\r\n\r\nhello",
        "POST /uploads HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nUpload-Draft-Interop-Version: 6\r\nUpload-Complete: ?1\r\n"
            + "Content-Disposition: attachment; filename*=UTF-8''n%c3%a4h.bin\r\nContent-Length: 5\r\n\r\nhello",
        "POST /uploads HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTus-Resumable: 1.0.0\r\nUpload-Length: 5\r\nUpload-Metadata: filename dC5iaW4=\r\n"
            + "Content-Type: application/offset+octet-stream\r\nUpload-Checksum: sha1 qvTGHdzF6KLavt4PO0gs2a6pQ00=\r\n"
            + "Content-Length: 5\r\n\r\nhello",
        "OPTIONS /uploads HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nOrigin: http://localhost\r\nAccess-Control-Request-Method: POST\r\n\r\n",
        "PATCH /uploads/0123456789abcdef HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\n"
            + "Content-Type: application/offset+octet-stream\r\nContent-Length: 5\r\n\r\nhello",
        "DELETE /files/new/p.bin HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nIf-Unmodified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n",
        "GET /.well-known/millrace HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer abc\r\n\r\nGET /health HTTP/1.1\r\nHost: x\r\n\r\n",
        "POST /uploads HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-HTTP-Method-Override: DELETE\r\nContent-Length: 0\r\n\r\n",
        "POST /millrace.v1.FileTransfer/List HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/grpc-web+proto\r\n"
            + "grpc-timeout: 5S\r\nContent-Length: 5\r\n\r\n\0\0\0\0\0",
    ];

    [Fact]
    public Task Server_survives_damaged_requests() => Fuzzing.RunAsync(
        async (random, input) =>
        {
            byte[] request = Mutation.Change(random, Mutation.Latin(random.GetItems(_requests, 1)[0]), most: 6);
            input.Add(request);
            await server.ExchangeAsync(random, request);
        },
        server.CheckAsync);

    // The disagreement between two parsers: a second request that the first one's body was.
    [Fact]
    public Task Server_survives_requests_that_follow_each_other() => Fuzzing.RunAsync(
        async (random, input) =>
        {
            string[] several = random.GetItems(_requests, random.Next(2, 5));
            several[random.Next(several.Length)] = Mutation.Change(random, random.GetItems(_requests, 1)[0]);
            byte[] requests = Encoding.Latin1.GetBytes(string.Concat(several));
            input.Add(requests);
            await server.ExchangeAsync(random, requests);
        },
        server.CheckAsync);
}
