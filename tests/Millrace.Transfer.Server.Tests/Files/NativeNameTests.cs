using System.Formats.Tar;
using System.IO.Compression;
using System.Net.Http.Headers;
using System.Net.Http.Json;
using System.Xml;
using Microsoft.Extensions.Logging;
using Millrace.Transfer.Messages;
using Millrace.Transfer.Server.Tests.Grpc;

namespace Millrace.Transfer.Server.Tests.Files;

/// <summary>Names that only Windows forbids, in every protocol: taken as they are, never written raw, and refused by a server for portable names.</summary>
public sealed class NativeNameTests : GrpcTest
{
    private static readonly byte[] Small = Content.Of(10);

    private static readonly string[] Names =
    [
        "a:b.png", "c:", "aux.c", "What?.mp3", "ends with a dot.", "ends with a space ", "...", "back\\slash", "\"quoted\" <b>&'|*;", "esc\u001b[2J",
        "line\nbreak\r\n", "del\u007f", "c1\u0085\u009b", "turn\u202Egpj.exe", new('x', 255), new string('é', 127) + "?",
    ];

    private static readonly string[] Invalid =
    [
        "..", "x/../y", "..\\x", "x\\..\\..\\y", "x\\.", "/x", "x//y", "nul\0", ".MILLRACE/x", ".millrace./x", ".millrace ./x", ".millrace:x", ".millrace::$DATA",
        ".Millrace\\tokens.json", "x\\.millrace", ".millrace-x.", "MILLRA~1", ".mill\u00ADrace.", "%2e%2e", "..%5cx", new('x', 256),
    ];

    public static TheoryData<string> EveryName => [.. Names];

    public static TheoryData<string> EveryInvalidName => [.. Invalid];

    [NeedsTheory(Need.Unix), MemberData(nameof(EveryName))]
    public async Task Name_is_taken_by_every_protocol(string name)
    {
        foreach (Func<string, Task<bool>> put in Puts())
        {
            // A bucket cannot have some control characters: then every protocol refuses them.
            Assert.Equal(IsStorable(name), await put($"f/{name}"));
            if (IsStorable(name))
            {
                Assert.Equal(Small, await File.ReadAllBytesAsync(PathOf($"f/{name}")));
                Assert.Equal(0, (await CallAsync("Delete", new DeleteRequest { Name = $"f/{name}" })).Status);
            }
        }
    }

    [NeedsLocalFolder]
    [NeedsTheory(Need.Unix), MemberData(nameof(EveryName))]
    public async Task Name_is_listed_and_sent_by_every_protocol(string name)
    {
        await Server.WriteAsync($"f/{name}", Small);
        string url = "/files/f/" + Uri.EscapeDataString(name);

        using HttpResponseMessage got = await Server.Client.GetAsync(url);
        Assert.Equal(Small, await got.Content.ReadAsByteArrayAsync());
        AssertClean(got);
        using HttpResponseMessage kept = await Server.Client.GetAsync(url + "?download");
        AssertClean(kept);
        Assert.Equal(name, Uri.UnescapeDataString(
            kept.Content.Headers.NonValidated["Content-Disposition"].ToString().Split("filename*=UTF-8''")[^1]));

        ListingDocument listed = await ListAsync("/files/f/");
        Assert.Null(listed.Omitted);
        Assert.Equal($"f/{name}", Assert.Single(listed.Entries).Name);
        foreach (string form in (string[])["grpc", "grpc-web", "grpc-web-text"])
        {
            Assert.Equal(Small, (await CallAsync(form, "Download", Frames.Download($"f/{name}"))).Content());
            GrpcReply list = await CallAsync(form, "List", Frames.Of(new ListRequest { Folder = "f" }));
            Assert.Equal([$"f/{name}"], list.Messages.Select(static message => ListEntry.Parser.ParseFrom(message).Name));
        }
    }

    [NeedsLocalFolder]
    [NeedsTheory(Need.Unix), MemberData(nameof(EveryName))]
    public async Task Page_of_a_folder_shows_nothing_that_turns_or_hides_text(string name)
    {
        await Server.WriteAsync($"f/{name}/x", Small);
        foreach (string path in (string[])["/files/f/", $"/files/f/{Uri.EscapeDataString(name)}/"])
        {
            using var request = new HttpRequestMessage(HttpMethod.Get, path);
            request.Headers.Accept.ParseAdd("text/html");
            using HttpResponseMessage response = await Server.Client.SendAsync(request);
            AssertClean(response);
            string html = System.Net.WebUtility.HtmlDecode(await response.Content.ReadAsStringAsync());
            Assert.True(PrintableText.IsClean(html.Replace("\n", "", StringComparison.Ordinal)), html);
        }
    }

    [NeedsLocalFolder]
    [NeedsTheory(Need.Unix), MemberData(nameof(EveryName))]
    public async Task Folder_without_its_slash_is_redirected_to_itself(string name)
    {
        await Server.WriteAsync($"{name}/x", Small);
        using HttpResponseMessage redirected = await Server.Client.GetAsync("/files/" + Uri.EscapeDataString(name).Replace("%3A", ":", StringComparison.Ordinal));
        Assert.Equal(HttpStatusCode.OK, redirected.StatusCode);
        Assert.EndsWith("/", redirected.RequestMessage!.RequestUri!.AbsolutePath, StringComparison.Ordinal);
    }

    [NeedsLocalFolder]
    [NeedsFact(Need.Unix)]
    public async Task Archives_have_the_names_and_so_have_chosen_ones()
    {
        string[] chosen = ["line\nbreak", "a:b", "What?", "del\u007f"];
        foreach (string name in chosen)
        {
            await Server.WriteAsync($"f/{name}", Small);
        }

        await Server.WriteAsync("f/x", Small);
        string form = string.Join('&', chosen.Select(static name => "only=" + Uri.EscapeDataString(name)));
        using HttpResponseMessage some = await Server.Client.PostAsync(
            "/files/f/?archive=zip", new StringContent(form, Encoding.UTF8, "application/x-www-form-urlencoded"));
        using var zip = new ZipArchive(await some.Content.ReadAsStreamAsync());
        Assert.Equal(chosen, zip.Entries.Select(static entry => entry.FullName));

        // .NET's reader takes no line feed in a name.
        Assert.Equal(0, (await CallAsync("Delete", new DeleteRequest { Name = "f/line\nbreak" })).Status);
        await using var tar = new TarReader(await Server.Client.GetStreamAsync("/files/f/?archive=tar"));
        var all = new List<string>();
        while (await tar.GetNextEntryAsync() is { } entry)
        {
            all.Add(entry.Name);
        }

        Assert.Equal([.. chosen[1..], "x"], all.ToHashSet());
    }

    [NeedsLocalFolder]
    [NeedsFact(Need.Unix)]
    public async Task Files_and_folders_are_moved_between_such_names()
    {
        using HttpResponseMessage made = await Server.Client.SendAsync(new HttpRequestMessage(new("MKCOL"), "/files/12%3A30%0A/"));
        Assert.Equal(HttpStatusCode.Created, made.StatusCode);
        AssertClean(made);
        await Server.WriteAsync("x", Small);
        using var move = new HttpRequestMessage(new("MOVE"), "/files/x");
        move.Headers.Add("Destination", "/files/12%3A30%0A/y%7F%3F");
        using HttpResponseMessage moved = await Server.Client.SendAsync(move);
        Assert.Equal(HttpStatusCode.Created, moved.StatusCode);
        AssertClean(moved);
        Assert.Equal(0, (await CallAsync("Move", new MoveRequest { From = "12:30\n/y\u007f?", To = "aux." })).Status);
        Assert.Equal(Small, await File.ReadAllBytesAsync(PathOf("aux.")));
    }

    [NeedsLocalFolder]
    [NeedsFact(Need.Unix)]
    public async Task Log_has_no_control_characters()
    {
        using var log = new CapturedLog(LogLevel.Debug);
        await ServeAsync(host: options => options.Logging = logging => logging.SetMinimumLevel(LogLevel.Debug).AddProvider(log));
        foreach (string name in Names)
        {
            foreach (Func<string, Task<bool>> put in Puts())
            {
                Assert.True(await put(name));
            }

            using HttpResponseMessage got = await Server.Client.GetAsync("/files/" + Uri.EscapeDataString(name));
            using HttpResponseMessage missing = await Server.Client.GetAsync("/files/none" + Uri.EscapeDataString(name));
        }

        Assert.Contains(log.Lines, static line => line.Contains("del\uFFFD", StringComparison.Ordinal));
        Assert.All(log.Lines.Where(static line => !line.Contains("\n   at ", StringComparison.Ordinal)), static line => Assert.True(PrintableText.IsClean(line), line));
    }

    [NeedsTheory(Need.Unix), MemberData(nameof(EveryName))]
    public async Task Server_for_portable_names_refuses_it_in_every_protocol_and_counts_it(string name)
    {
        if (TransferName.Parse(name).IsPortable || !IsStorable(name))
        {
            return;
        }

        await ServeAsync(host: static options => options.Store.Names = AllowedNames.Portable);
        foreach (Func<string, Task<bool>> put in Puts())
        {
            Assert.False(await put($"f/{name}"));
            Assert.False(await put($"{name}/f"));
        }

        await Server.WriteAsync($"f/{name}", Small);
        await Server.WriteAsync("f/x", Small);
        using HttpResponseMessage got = await Server.Client.GetAsync("/files/f/" + Uri.EscapeDataString(name));
        Assert.Equal(HttpStatusCode.BadRequest, got.StatusCode);
        using HttpResponseMessage some = await Server.Client.PostAsync(
            "/files/f/?archive=zip", new StringContent("only=" + Uri.EscapeDataString(name), Encoding.UTF8, "application/x-www-form-urlencoded"));
        Assert.Equal(HttpStatusCode.BadRequest, some.StatusCode);
        (await CallAsync("Stat", new StatRequest { Name = $"f/{name}" })).Failed(3, TransferError.InvalidName);
        (await CallAsync("Move", new MoveRequest { From = "f/x", To = $"f/{name}" })).Failed(3, TransferError.InvalidName);
        ListingDocument listed = await ListAsync("/files/f/");
        Assert.Equal(("f/x", 1), (Assert.Single(listed.Entries).Name, listed.Omitted));
    }

    [Theory, MemberData(nameof(EveryInvalidName))]
    public async Task Ambiguous_name_is_refused_by_every_protocol(string name)
    {
        foreach (Func<string, Task<bool>> put in Puts())
        {
            Assert.False(await put(name));
            Assert.False(await put($"f/{name}"));
        }

        (await CallAsync("CreateFolder", new CreateFolderRequest { Name = name })).Failed(3, TransferError.InvalidName);
        ListingDocument listed = await ListAsync("/files/");
        Assert.Empty(listed.Entries);
    }

    /// <summary>One spelling each: a name that comes by one protocol is the same over another.</summary>
    [NeedsLocalFolder]
    [NeedsFact(Need.Linux)]
    public async Task Spellings_of_other_systems_are_other_files()
    {
        string[] names = ["a", "a.", "a ", "A", "a:", "a\\b", "a\u0301", "\u00e1"];
        foreach ((int at, string name) in names.Index())
        {
            Assert.True(await PutAsync($"/files/{Uri.EscapeDataString(name)}", HttpMethod.Put, [(byte)at]));
        }

        foreach ((int at, string name) in names.Index())
        {
            Assert.Equal([(byte)at], (await CallAsync("Download", Frames.Download(name))).Content());
        }

        foreach (string path in (string[])["/files/a%2Fb", "/files/a%2fb", "/files/%2e%2e%5ca", "/files/a%"])
        {
            Assert.False(await PutAsync(path, HttpMethod.Put, Small));
        }
    }

    private static bool IsStorable(string name) => !TestedStore.IsBucket || name.All(XmlConvert.IsXmlChar);

    /// <returns>Each uploads ten bytes by a protocol, and returns whether that was accepted, or refused because of the name.</returns>
    private IEnumerable<Func<string, Task<bool>>> Puts()
    {
        yield return name => PutAsync(UrlOf(name), HttpMethod.Put, Small);
        yield return name => PutAsync(UrlOf(name), HttpMethod.Put, Small, ("Upload-Complete", "?1"));
        yield return name => PutAsync(
            "/uploads", HttpMethod.Post, Small, ("Upload-Complete", "?1"), ("Content-Disposition", $"inline; filename*=UTF-8''{Uri.EscapeDataString(name)}"));
        yield return name => PutAsync(
            "/uploads", HttpMethod.Post, Small, ("Tus-Resumable", "1.0.0"), ("Upload-Length", "10"),
            ("Upload-Metadata", $"filename {Convert.ToBase64String(Encoding.UTF8.GetBytes(name))}"));
        foreach (string form in (string[])["grpc", "grpc-web", "grpc-web-text"])
        {
            yield return async name =>
            {
                GrpcReply reply = await CallAsync(form, "Upload", Frames.Upload(name, Small));
                return reply.Status == 0 || reply.Failed(3, TransferError.InvalidName) is null;
            };
        }
    }

    private async Task<ListingDocument> ListAsync(string path)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, path);
        request.Headers.Accept.ParseAdd("application/json");
        using HttpResponseMessage response = await Server.Client.SendAsync(request);
        return (await response.Content.ReadFromJsonAsync(TransferJson.Default.ListingDocument))!;
    }

    private static string UrlOf(string name) => "/files/" + Uri.EscapeDataString(name).Replace("%2F", "/", StringComparison.Ordinal);

    private async Task<bool> PutAsync(string path, HttpMethod method, byte[] content, params (string Name, string Value)[] fields)
    {
        // A path of dots as it is: HttpClient would take them away.
        var whole = new Uri(Server.Server.Address.GetLeftPart(UriPartial.Authority) + path, new UriCreationOptions { DangerousDisablePathAndQueryCanonicalization = true });
        using var request = new HttpRequestMessage(method, whole) { Content = new ByteArrayContent(content) };
        request.Content.Headers.ContentType = new("application/offset+octet-stream");
        foreach ((string name, string value) in fields)
        {
            Assert.True(request.Headers.TryAddWithoutValidation(name, value) || request.Content.Headers.TryAddWithoutValidation(name, value));
        }

        using HttpResponseMessage response = await Server.Client.SendAsync(request);
        AssertClean(response);
        string body = await response.Content.ReadAsStringAsync();
        if (!response.IsSuccessStatusCode)
        {
            Assert.True(response.StatusCode is HttpStatusCode.BadRequest or HttpStatusCode.NotFound or HttpStatusCode.MethodNotAllowed, $"{response.StatusCode} {path}: {body}");
        }

        return response.IsSuccessStatusCode;
    }

    private static void AssertClean(HttpResponseMessage response)
    {
        foreach (HeaderStringValues values in response.Headers.NonValidated.Concat(response.Content.Headers.NonValidated).Select(static field => field.Value))
        {
            Assert.All(values, static value => Assert.True(Ascii.IsValid(value) && !value.Any(char.IsControl), value));
        }
    }
}
