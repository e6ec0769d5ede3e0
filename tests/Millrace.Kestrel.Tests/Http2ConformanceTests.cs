using System.Buffers.Binary;
using static Millrace.Testing.RawHttp2;

namespace Millrace.Kestrel.Tests;

/// <summary>
/// The situations that h2spec (https://github.com/summerwind/h2spec) tries on a server, by its numbers: sections of RFC 7540 and
/// RFC 7541, and its own list of basic cases ("generic"). Kestrel answers; the tests check that the answer arrives as a whole,
/// in order and before the connection ends, whatever comes in.
/// </summary>
public sealed class Http2ConformanceTests(Http2ConformanceTests.Server server) : IClassFixture<Http2ConformanceTests.Server>
{
    private const int ProtocolError = 1;
    private const int InternalError = 2;
    private const int FlowControlError = 3;
    private const int StreamClosed = 5;
    private const int FrameSizeError = 6;
    private const int RefusedStream = 7;
    private const int CompressionError = 9;

    private const string Text = "a text of some length";
    private const int LargestWindow = int.MaxValue;

    private static readonly byte[] Question = [1, 2, 3, 4, 5, 6, 7, 8];

    private static readonly (string Name, string Value)[] Get = Request("GET");
    private static readonly (string Name, string Value)[] Post = Request("POST");

    private static readonly Http2Frame Done = Head(1, EndHeaders | EndStream, Get);
    private static readonly Http2Frame Open = Head(1, EndHeaders, Post);
    private static readonly Http2Frame Unfinished = Head(1, EndStream, Get);
    private static readonly Http2Frame Ask = new(Ping, 0, 0, Question);
    private static readonly Http2Frame Field = new(Continuation, EndHeaders, 1, Block(("x-one", "1")));
    private static readonly Http2Frame Part = Field with { Flags = 0 };
    private static readonly Http2Frame Reset = new(ResetStream, 0, 1, Four(8));
    private static readonly Http2Frame Body = new(Data, EndStream, 1, "test"u8.ToArray());
    private static readonly Http2Frame Low = new(Priority, 0, 1, Depends(0, 255));
    private static readonly Http2Frame Closed = Setting((4, 0));

    private static readonly Dictionary<string, Situation> Situations = new()
    {
        ["4.1/1"] = Pongs(new Http2Frame(0x16, 0, 0, new byte[8]), Ask),
        ["4.1/2"] = Pongs(Ask with { Flags = 0x16 }),
        ["4.1/3"] = Pongs(Ask with { Stream = int.MinValue }),
        ["4.2/1"] = Answers(Open, Body with { Payload = new byte[LargestPayload] }),
        ["4.2/2"] = StreamError([FrameSizeError], Open, Body with { Payload = new byte[LargestPayload + 1] }),
        ["4.2/3"] = ConnectionError([FrameSizeError], Head(1, EndHeaders | EndStream, [.. Get, ("x", new string('a', LargestPayload))])),
        ["4.3/1"] = ConnectionError([CompressionError], Done with { Payload = new byte[] { 0x40 } }),
        ["4.3/2"] = ConnectionError([ProtocolError], Unfinished, Low, Field),
        ["4.3/3"] = ConnectionError([ProtocolError], Unfinished, Done with { Stream = 3 }, Field),
        ["5.1/1"] = ConnectionError([ProtocolError], Body),
        ["5.1/2"] = ConnectionError([ProtocolError], Reset),
        ["5.1/3"] = ConnectionError([ProtocolError], Window(1, 100)),
        ["5.1/4"] = ConnectionError([ProtocolError], Field),
        ["5.1/5"] = StreamError([StreamClosed], Done, Body),
        ["5.1/6"] = StreamError([StreamClosed], Done, Done),
        ["5.1/7"] = StreamError([StreamClosed, ProtocolError], Done, Field),
        ["5.1/8"] = StreamError([StreamClosed], Open, Reset, Body),
        ["5.1/9"] = StreamError([StreamClosed], Open, Reset, Done),
        ["5.1/10"] = StreamError([StreamClosed, ProtocolError], Open, Reset, Field),
        ["5.1/11"] = ConnectionError([StreamClosed], Done, Wait.Response, Body),
        ["5.1/12"] = ConnectionError([StreamClosed], Done, Wait.Response, Done),
        ["5.1/13"] = ConnectionError([StreamClosed, ProtocolError], Done, Wait.Response, Field),
        ["5.1.1/1"] = ConnectionError([ProtocolError], Done with { Stream = 2 }),
        ["5.1.1/2"] = ConnectionError([ProtocolError, StreamClosed], Done with { Stream = 5 }, Done with { Stream = 3 }),
        ["5.1.1/3"] = StreamError([StreamClosed], Done with { Stream = 5 }, Done with { Stream = 5 }),
        ["5.1.2/1"] = StreamError(
            [ProtocolError, RefusedStream], [Closed, .. Enumerable.Range(0, 101).Select(i => (object)(Done with { Stream = (2 * i) + 1 }))]),
        ["5.3.1/1"] = StreamError([ProtocolError], Done with { Flags = EndHeaders | EndStream | HasPriority, Payload = Join(Depends(1, 255), Block(Get)) }),
        ["5.3.1/2"] = StreamError([ProtocolError], Low with { Payload = Depends(1, 255) }),
        ["5.4.1/1"] = ConnectionError([ProtocolError], Ask with { Stream = 3 }),
        ["5.5/1"] = Pongs(new Http2Frame(0xEE, 0, 0, new byte[4]), Ask),
        ["5.5/2"] = ConnectionError([ProtocolError], Unfinished, new Http2Frame(0xEE, 0, 0, new byte[4]), Field),
        ["6.1/1"] = ConnectionError([ProtocolError], Open, Body with { Stream = 0 }),
        ["6.1/2"] = StreamError([StreamClosed], Done, Wait.Response, Body),
        ["6.1/3"] = ConnectionError([ProtocolError], Open, Body with { Flags = EndStream | Padded, Payload = new byte[] { 6, 1, 2, 3, 4, 5 } }),
        ["6.2/1"] = ConnectionError([ProtocolError], Unfinished, Low),
        ["6.2/2"] = ConnectionError([ProtocolError], Unfinished, Done with { Stream = 3 }),
        ["6.2/3"] = ConnectionError([ProtocolError], Done with { Stream = 0 }),
        ["6.2/4"] = ConnectionError([ProtocolError], Done with { Flags = EndHeaders | EndStream | Padded, Payload = Join([255], Block(Get)) }),
        ["6.3/1"] = ConnectionError([ProtocolError], Low with { Stream = 0 }),
        ["6.3/2"] = StreamError([FrameSizeError], Open, Low with { Payload = new byte[4] }),
        ["6.4/1"] = ConnectionError([ProtocolError], Reset with { Stream = 0 }),
        ["6.4/2"] = ConnectionError([ProtocolError], Reset),
        ["6.4/3"] = ConnectionError([FrameSizeError], Open, Reset with { Payload = new byte[3] }),
        ["6.5/1"] = ConnectionError([FrameSizeError], new Http2Frame(Settings, Acknowledge, 0, new byte[6])),
        ["6.5/2"] = ConnectionError([ProtocolError], Setting((3, 1)) with { Stream = 1 }),
        ["6.5/3"] = ConnectionError([FrameSizeError], new Http2Frame(Settings, 0, 0, new byte[3])),
        ["6.5.2/1"] = ConnectionError([ProtocolError], Setting((2, 2))),
        ["6.5.2/2"] = ConnectionError([FlowControlError], Setting((4, int.MinValue))),
        ["6.5.2/3"] = ConnectionError([ProtocolError], Setting((5, LargestPayload - 1))),
        ["6.5.2/4"] = ConnectionError([ProtocolError], Setting((5, 1 << 24))),
        ["6.5.2/5"] = Pongs(Setting((255, 1)), Ask),
        ["6.5.3/1"] = SendsOneByte(Setting((4, 100), (4, 1)), Wait.Settings, Done),
        ["6.5.3/2"] = new(Answer.Acknowledgement, [], Setting((2, 0))),
        ["6.7/1"] = Pongs(Ask),
        ["6.7/2"] = Pongs(Ask with { Flags = Acknowledge, Payload = new byte[8] }, Ask),
        ["6.7/3"] = ConnectionError([ProtocolError], Ask with { Stream = 1 }),
        ["6.7/4"] = ConnectionError([FrameSizeError], Ask with { Payload = new byte[6] }),
        ["6.8/1"] = ConnectionError([ProtocolError], new Http2Frame(GoAway, 0, 1, new byte[8])),
        ["6.9/1"] = ConnectionError([ProtocolError], Window(0, 0)),
        ["6.9/2"] = StreamError([ProtocolError], Open, Window(1, 0)),
        ["6.9/3"] = ConnectionError([FrameSizeError], Window(0, 1) with { Payload = new byte[3] }),
        ["6.9.1/1"] = SendsOneByte(Setting((4, 1)), Wait.Settings, Done),
        ["6.9.1/2"] = ConnectionError([FlowControlError], Window(0, LargestWindow), Window(0, LargestWindow)),
        ["6.9.1/3"] = StreamError([FlowControlError], Open, Window(1, LargestWindow), Window(1, LargestWindow)),
        ["6.9.2/1"] = SendsOneByte(Setting((4, 0)), Wait.Settings, Done, Setting((4, 1)), Wait.Settings),
        ["6.9.2/2"] = SendsOneByte(Setting((4, 3)), Wait.Settings, Done, Wait.Data, Setting((4, 2)), Wait.Settings, Window(1, 2)),
        ["6.9.2/3"] = ConnectionError([FlowControlError], Setting((4, int.MinValue))),
        ["6.10/1"] = Answers(Unfinished, Part, Field),
        ["6.10/2"] = ConnectionError([ProtocolError], Unfinished, Part, Body),
        ["6.10/3"] = ConnectionError([ProtocolError], Unfinished, Field with { Stream = 0 }),
        ["6.10/4"] = ConnectionError([ProtocolError], Done, Field),
        ["6.10/5"] = ConnectionError([ProtocolError], Unfinished, Field, Field),
        ["6.10/6"] = ConnectionError([ProtocolError], Unfinished, Body, Part),
        ["7/1"] = new(Answer.End, [], new Http2Frame(GoAway, 0, 0, Join(Four(0), Four(255)))),
        ["7/2"] = Pongs(Open, Reset with { Payload = Four(255) }, Ask),
        ["8.1/1"] = StreamError([ProtocolError], Open, Head(1, EndHeaders, ("x-one", "1"))),
        ["8.1.2/1"] = Malformed([.. Get, ("X-One", "1")]),
        ["8.1.2.1/1"] = Malformed([.. Get, (":test", "1")]),
        ["8.1.2.1/2"] = Malformed([.. Get, (":status", "200")]),
        ["8.1.2.1/3"] = StreamError([ProtocolError], Open, Body with { Flags = 0 }, Head(1, EndHeaders | EndStream, (":method", "GET"))),
        ["8.1.2.1/4"] = Malformed([.. Get[..3], ("x-one", "1"), Get[3]]),
        ["8.1.2.2/1"] = Malformed([.. Get, ("connection", "keep-alive")]),
        ["8.1.2.2/2"] = Malformed([.. Get, ("te", "trailers, deflate")]),
        ["8.1.2.3/1"] = Malformed([.. Get[..2], (":path", ""), Get[3]]),
        ["8.1.2.3/2"] = Malformed(Get[1..]),
        ["8.1.2.3/3"] = Malformed([Get[0], .. Get[2..]]),
        ["8.1.2.3/4"] = Malformed([.. Get[..2], Get[3]]),
        ["8.1.2.3/5"] = Malformed([Get[0], .. Get]),
        ["8.1.2.3/6"] = Malformed([Get[1], .. Get]),
        ["8.1.2.3/7"] = Malformed([Get[2], .. Get]),
        ["8.1.2.6/1"] = StreamError([ProtocolError], Head(1, EndHeaders, [.. Post, ("content-length", "1")]), Body),
        ["8.1.2.6/2"] = StreamError(
            [ProtocolError], Head(1, EndHeaders, [.. Post, ("content-length", "5")]), Body with { Flags = 0 }, Body),
        ["8.2/1"] = ConnectionError([ProtocolError], Open, new Http2Frame(PushPromise, EndHeaders, 1, Join(Four(3), Block(Get)))),
        ["hpack/2.3.3/1"] = Undecodable(Join(Block(Get), [0xC6])),
        ["hpack/2.3.3/2"] = Undecodable(Join(Block(Get), [0x7F, 0x07, 1, (byte)'a'])),
        ["hpack/4.2/1"] = Undecodable(Join(Block(Get), [0x21])),
        ["hpack/5.2/1 padding of more than 7 bits"] = Undecodable(Join(Block(Get), [0, 1, (byte)'x', 0x82, 0x1F, 0xFF])),
        ["hpack/5.2/2 padding of zeros"] = Undecodable(Join(Block(Get), [0, 1, (byte)'x', 0x81, 0x18])),
        ["hpack/5.2/3 end of string"] = Undecodable(Join(Block(Get), [0, 1, (byte)'x', 0x84, 0xFF, 0xFF, 0xFF, 0xFF])),

        // Kestrel of .NET 10 looks index 0 up in its table, and reports the result as an internal error.
        ["hpack/6.1/1"] = ConnectionError([CompressionError, InternalError], Done with { Payload = Join([0x80], Block(Get)) }),
        ["hpack/6.3/1"] = Undecodable(Join([0x3F, 0xE2, 0x1F], Block(Get))),
        ["generic/2/1"] = Pongs(Low, Ask),
        ["generic/2/2"] = SendsOneByte(Setting((4, 0)), Wait.Settings, Done, Window(1, 1)),
        ["generic/2/3"] = SendsOneByte(Setting((4, 0)), Wait.Settings, Done, Low, Window(1, 1)),
        ["generic/2/4"] = Pongs(Done, Reset, Ask),
        ["generic/2/5"] = Pongs(Done, Wait.Response, Low, Ask),
        ["generic/3.1/1"] = Answers(Open, Body),
        ["generic/3.1/2"] = Answers(Open, Body with { Flags = 0 }, Body),
        ["generic/3.1/3"] = Answers(Open, Body with { Flags = EndStream | Padded, Payload = new byte[] { 3, 1, 2, 0, 0, 0 } }),
        ["generic/3.2/1"] = Answers(Done),
        ["generic/3.2/2"] = Answers(Done with { Flags = EndHeaders | EndStream | Padded, Payload = Join([4], Block(Get), new byte[4]) }),
        ["generic/3.2/3"] = Answers(Done with { Flags = EndHeaders | EndStream | HasPriority, Payload = Join(Depends(0, 255), Block(Get)) }),
        ["generic/3.3/1"] = Answers(Low with { Payload = Depends(0, 0) }, Done),
        ["generic/3.3/2"] = Answers(Low, Done),
        ["generic/3.3/3"] = Answers(Low with { Payload = Depends(3, 1) }, Done),
        ["generic/3.3/4"] = Answers(Low with { Payload = Depends(int.MinValue, 1) }, Done),
        ["generic/3.3/5"] = Answers(Low with { Stream = 5 }, Done),
        ["generic/3.4/1"] = Pongs(Open, Reset, Ask),
        ["generic/3.5/1"] = new(Answer.Acknowledgement, [], Setting((1, 100), (2, 0), (3, 10), (4, 1000), (5, LargestPayload), (6, 10_000))),
        ["generic/3.8/1"] = new(Answer.End, [], new Http2Frame(GoAway, 0, 0, new byte[8])),
        ["generic/3.9/1"] = Answers(Window(0, 1), Done),
        ["generic/3.9/2"] = Answers(Open, Window(1, 1), Body),
        ["generic/3.10/1"] = Answers(Unfinished, Field),
        ["generic/3.10/2"] = Answers(Unfinished, Part, Part, Field),
        ["generic/4/2"] = Answers(Head(1, EndHeaders | EndStream, Request("HEAD"))),
        ["generic/4/4"] = Answers(Open, Body with { Flags = 0 }, Head(1, EndHeaders | EndStream, ("x-trailer", "1"))),
        ["generic/5/1 indexed"] = Decodable(Join(Block(Get), [0xBA])),
        ["generic/5/2 incremental, indexed name"] = Decodable(Join(Block(Get), [0x7A, 1, (byte)'a'])),
        ["generic/5/3 incremental, indexed name, Huffman"] = Decodable(Join(Block(Get), [0x7A, 0x81, 0x1F])),
        ["generic/5/4 incremental, new name"] = Decodable(Join(Block(Get), [0x40, 1, (byte)'x', 1, (byte)'a'])),
        ["generic/5/5 incremental, new name, Huffman"] = Decodable(Join(Block(Get), [0x40, 0x81, 0x1F, 0x81, 0x1F])),
        ["generic/5/6 without indexing, indexed name"] = Decodable(Join(Block(Get), [0x0F, 43, 1, (byte)'a'])),
        ["generic/5/7 without indexing, indexed name, Huffman"] = Decodable(Join(Block(Get), [0x0F, 43, 0x81, 0x1F])),
        ["generic/5/9 without indexing, new name, Huffman"] = Decodable(Join(Block(Get), [0, 0x81, 0x1F, 0x81, 0x1F])),
        ["generic/5/10 never indexed, indexed name"] = Decodable(Join(Block(Get), [0x1F, 43, 1, (byte)'a'])),
        ["generic/5/11 never indexed, indexed name, Huffman"] = Decodable(Join(Block(Get), [0x1F, 43, 0x81, 0x1F])),
        ["generic/5/12 never indexed, new name"] = Decodable(Join(Block(Get), [0x10, 1, (byte)'x', 1, (byte)'a'])),
        ["generic/5/13 never indexed, new name, Huffman"] = Decodable(Join(Block(Get), [0x10, 0x81, 0x1F, 0x81, 0x1F])),
        ["generic/5/14 size update"] = Decodable(Join([0x20], Block(Get))),
        ["generic/5/15 two size updates"] = Decodable(Join([0x20, 0x3F, 0xE1, 0x1F], Block(Get))),
    };

    public static TheoryData<string> Numbers => [.. Situations.Keys];

    private enum Answer
    {
        /// <summary>A response with 200.</summary>
        Response,
        Pong,

        /// <summary>GOAWAY with one of the codes, and the end of the connection.</summary>
        ConnectionError,

        /// <summary>RST_STREAM with one of the codes, or a connection error.</summary>
        StreamError,
        OneByte,
        Acknowledgement,
        End,
    }

    /// <summary>Reads until there was this, before more is sent.</summary>
    private enum Wait
    {
        Response,
        Settings,
        Data,
    }

    [Theory, MemberData(nameof(Numbers))]
    public async Task Answer_is_that_of_the_standard(string number)
    {
        Situation situation = Situations[number];
        using RawHttp2 connection = await OpenAsync(server.Port);

        // Its own settings come first, before it acknowledges ours: 3.5/1.
        Http2Frame? first = await connection.ReadAsync();
        Assert.Equal((Settings, 0, 0), (first!.Value.Type, first.Value.Flags, first.Value.Stream));
        await connection.ReadUntilAsync(Settings, 0);
        foreach (object step in situation.Steps)
        {
            switch (step)
            {
                case Wait.Response:
                    Assert.NotNull(await FindAsync(connection, frame => frame.Type is Data or Headers && (frame.Flags & EndStream) != 0));
                    break;
                case Wait.Settings:
                    Assert.NotNull(await FindAsync(connection, frame => frame.Type == Settings && frame.Flags == Acknowledge));
                    break;
                case Wait.Data:
                    Assert.NotNull(await connection.ReadUntilAsync(Data));
                    break;
                default:
                    await connection.SendAsync((Http2Frame)step);
                    break;
            }
        }

        await ExpectAsync(connection, situation);
    }

    [Fact]
    public async Task Invalid_preface_ends_the_connection()
    {
        using var client = new TcpClient();
        await client.ConnectAsync(IPAddress.Loopback, server.Port);
        await client.Client.SendAllAsync("INVALID CONNECTION PREFACE\r\n\r\n"u8.ToArray());
        byte[] answer = await client.Client.ReceiveToEndAsync();
        Assert.StartsWith("HTTP/1.1 505", Encoding.ASCII.GetString(answer), StringComparison.Ordinal);
    }

    private static async Task ExpectAsync(RawHttp2 connection, Situation situation)
    {
        switch (situation.Expected)
        {
            case Answer.Response:
                Http2Frame? response = await connection.ReadUntilAsync(Headers);

                // ":status: 200" is the eighth field of RFC 7541's table; before it stand changes of the size of Kestrel's own.
                Assert.Equal(0x88, response!.Value.Payload.ToArray().SkipWhile(value => value >> 5 == 1).First());
                break;
            case Answer.Pong:
                Http2Frame? pong = await connection.ReadUntilAsync(Ping);
                Assert.Equal(Acknowledge, pong!.Value.Flags);
                Assert.Equal(Question, pong.Value.Payload.ToArray());
                break;
            case Answer.ConnectionError:
                Http2Frame end = (await connection.ReadUntilAsync(GoAway))!.Value;
                Assert.Contains(end.ErrorCode, situation.Codes);
                await connection.ReadToEndAsync();
                break;
            case Answer.StreamError:
                Http2Frame error = (await FindAsync(connection, frame => frame.Type is GoAway or ResetStream))!.Value;
                Assert.Contains(error.ErrorCode, situation.Codes);
                break;
            case Answer.OneByte:
                Http2Frame? data = await connection.ReadUntilAsync(Data);
                Assert.Equal(1, data!.Value.Payload.Length);
                break;
            case Answer.Acknowledgement:
                Http2Frame? settings = await connection.ReadUntilAsync(Settings);
                Assert.Equal((Acknowledge, 0), (settings!.Value.Flags, settings.Value.Payload.Length));
                break;
            default:
                await connection.ReadToEndAsync();
                break;
        }
    }

    private static async Task<Http2Frame?> FindAsync(RawHttp2 connection, Func<Http2Frame, bool> wanted)
    {
        Http2Frame? frame;
        do
        {
            frame = await connection.ReadAsync();
        }
        while (frame is { } other && !wanted(other));
        return frame;
    }

    private static Situation Answers(params object[] steps) => new(Answer.Response, [], steps);

    private static Situation Pongs(params object[] steps) => new(Answer.Pong, [], steps);

    private static Situation SendsOneByte(params object[] steps) => new(Answer.OneByte, [], steps);

    private static Situation ConnectionError(int[] codes, params object[] steps) => new(Answer.ConnectionError, codes, steps);

    private static Situation StreamError(int[] codes, params object[] steps) => new(Answer.StreamError, codes, steps);

    private static Situation Malformed((string Name, string Value)[] fields) =>
        StreamError([ProtocolError], Head(1, EndHeaders | EndStream, fields));

    private static Situation Undecodable(byte[] block) => ConnectionError([CompressionError], Done with { Payload = block });

    private static Situation Decodable(byte[] block) => Answers(Done with { Payload = block });

    private static (string Name, string Value)[] Request(string method) =>
        [(":method", method), (":scheme", "http"), (":path", "/"), (":authority", "localhost")];

    private static Http2Frame Head(int stream, int flags, params (string Name, string Value)[] fields) =>
        new(Headers, (byte)flags, stream, Block(fields));

    private static Http2Frame Window(int stream, int bytes) => new(WindowUpdate, 0, stream, Four(bytes));

    private static Http2Frame Setting(params (short Id, int Value)[] settings)
    {
        byte[] payload = new byte[6 * settings.Length];
        for (int i = 0; i < settings.Length; i++)
        {
            BinaryPrimitives.WriteInt16BigEndian(payload.AsSpan(6 * i), settings[i].Id);
            BinaryPrimitives.WriteInt32BigEndian(payload.AsSpan((6 * i) + 2), settings[i].Value);
        }

        return new Http2Frame(Settings, 0, 0, payload);
    }

    private static byte[] Depends(int stream, byte weight) => [.. Four(stream), weight];

    private static byte[] Four(int number)
    {
        byte[] bytes = new byte[4];
        BinaryPrimitives.WriteInt32BigEndian(bytes, number);
        return bytes;
    }

    private static byte[] Join(params byte[][] parts) => [.. parts.SelectMany(part => part)];

    /// <param name="Expected">How the server answers.</param>
    /// <param name="Codes">Error codes of RFC 9113, section 7, that the standard allows here.</param>
    /// <param name="Steps">Frames to send, and what to wait for in between.</param>
    private sealed record Situation(Answer Expected, int[] Codes, params object[] Steps);

    /// <summary>One server for all of them: each has its own connection.</summary>
    public sealed class Server : IAsyncLifetime
    {
        private TestHost _host = null!;

        public int Port => _host.Address.Port;

        public async Task InitializeAsync() => _host = await TestHost.StartAsync(
            app => app.Map("/", async (HttpContext context) =>
            {
                await context.Request.Body.CopyToAsync(Stream.Null);
                await context.Response.WriteAsync(Text);
            }),
            options => options.ListenWithHttp2PriorKnowledge(new IPEndPoint(IPAddress.Loopback, 0)));

        public async Task DisposeAsync() => await _host.DisposeAsync();
    }
}
