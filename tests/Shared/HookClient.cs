using System.Globalization;
using System.Net;

namespace Millrace.Testing;

/// <summary>Puts, moves and deletes two files, one request after the other, and knows which events that makes.</summary>
/// <param name="number">Names the files, and makes its changes others than those of other clients.</param>
/// <param name="http">Sends the requests.</param>
/// <param name="movesInSteps">Whether a move that is cut can leave a copy.</param>
internal sealed class HookClient(int number, HttpClient http, bool movesInSteps = false)
{
    private readonly Random _random = new(number);
    private int _length;

    /// <summary>Lengths of the two files; null for one that does not exist.</summary>
    private int?[] _files = [null, null];
    private (int?[] After, string Event)? _open;

    /// <summary>How often servers are killed: <c>MILLRACE_HOOK_KILLS</c>.</summary>
    public static int Kills => int.TryParse(Environment.GetEnvironmentVariable("MILLRACE_HOOK_KILLS"), CultureInfo.InvariantCulture, out int kills) ? kills : 8;

    public List<string> Expected { get; } = [];

    /// <summary>Sends one request.</summary>
    /// <param name="http">Sends it.</param>
    /// <param name="files">The URL of the files.</param>
    /// <param name="method">The method.</param>
    /// <param name="name">The file or folder.</param>
    /// <param name="content">Its content; null for none.</param>
    /// <param name="destination">Where it is moved or copied to; null for none.</param>
    public static async Task<HttpStatusCode> SendAsync(
        HttpClient http, string files, string method, string name, byte[]? content = null, string? destination = null)
    {
        using var request = new HttpRequestMessage(new HttpMethod(method), new Uri(files + name));
        request.Content = content is null ? null : new ByteArrayContent(content);
        if (destination is not null)
        {
            request.Headers.Add("Destination", files + destination);
        }

        using HttpResponseMessage response = await http.SendAsync(request);
        return response.StatusCode;
    }

    /// <summary>Changes files until a request is cut.</summary>
    /// <param name="files">Returns the URL of the files for each request; null ends it.</param>
    public async Task RunAsync(Func<string?> files)
    {
        while (files() is { } url)
        {
            int file = _random.Next(2);
            int other = 1 - file;
            int?[] after = [_files[0], _files[1]];
            HttpStatusCode status;
            try
            {
                switch (_files[file] is null ? 0 : _random.Next(4))
                {
                    case 2 when _files[other] is null:
                        (after[file], after[other]) = (null, after[file]);
                        _open = (after, $"file.moved {Name(file)} > {Name(other)} {after[other]}");
                        status = await SendAsync(http, url, "MOVE", Name(file), destination: Name(other));
                        break;
                    case 3:
                        after[file] = null;
                        _open = (after, $"file.deleted {Name(file)}");
                        status = await SendAsync(http, url, "DELETE", Name(file));
                        break;
                    default:
                        after[file] = ++_length;
                        _open = (after, $"file.{(_files[file] is null ? "created" : "replaced")} {Name(file)} {_length}");
                        status = await SendAsync(http, url, "PUT", Name(file), new byte[_length]);
                        break;
                }
            }
            catch (HttpRequestException)
            {
                return;
            }

            Assert.True((int)status is >= 200 and < 300, $"{_open.Value.Event}: {status}");
            Happened();
        }
    }

    /// <summary>Looks whether the request that was cut has done something.</summary>
    public async Task FindOutAsync(string files)
    {
        if (_open is not var (after, happens))
        {
            return;
        }

        int?[] now = [await LengthAsync(files, 0), await LengthAsync(files, 1)];
        if (movesInSteps && happens.Contains('>', StringComparison.Ordinal) && now[0] is not null && now[0] == now[1])
        {
            int copy = _files[0] is null ? 0 : 1;
            _open = (now, $"file.created {Name(copy)} {now[copy]}");
            Happened();
        }
        else if (now.SequenceEqual(after))
        {
            Happened();
        }
        else
        {
            Assert.Equal(_files, now);
            _open = null;
        }
    }

    /// <summary>Fails unless a receiver has got the events of both files, each file's in order.</summary>
    public void Verify(ILookup<string, HookReceiver.Received> events)
    {
        for (int i = 0; i < 2; i++)
        {
            Assert.Equal(Expected.Where(text => text.Split(' ').Contains(Name(i))), events[Name(i)].Select(static e => e.ToString()));
        }
    }

    private void Happened()
    {
        _files = _open!.Value.After;
        Expected.Add(_open.Value.Event);
        _open = null;
    }

    private async Task<int?> LengthAsync(string files, int file)
    {
        using var request = new HttpRequestMessage(HttpMethod.Head, new Uri(files + Name(file)));
        using HttpResponseMessage response = await http.SendAsync(request);
        return response.StatusCode == HttpStatusCode.NotFound ? null : (int)response.Content.Headers.ContentLength!.Value;
    }

    private string Name(int file) => $"{number}-{"ab"[file]}";
}
