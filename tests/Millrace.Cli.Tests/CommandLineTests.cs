namespace Millrace.Cli.Tests;

/// <summary>What every command has: help, and messages about wrong arguments before any work begins.</summary>
public sealed class CommandLineTests : CommandTests
{
    private const string Transfer =
        "--via <auto|http1|http2|tus|grpc|grpc-web|grpc-web-text> --token <TOKEN> --token-file <FILE> --attempts <N> "
        + "--idle-timeout <TIME> --quiet --verbose --json Examples:";

    [Fact]
    public async Task Version_is_printed_alone()
    {
        (int exitCode, string output, string error) = await RunAsync("--version");
        Assert.Equal((0, ""), (exitCode, error));
        Assert.Matches(@"^\d+\.\d+\.\d+(-[0-9a-z.]+)?\s*$", output);
    }

    [Theory]
    [InlineData("copy", "--recursive --verify --preserve <mode,times> -p --create-new --durability <none|commit>")]
    [InlineData("copy", "--no-reflink --no-times --no-cache --quiet --json")]
    [InlineData("scan", "scan <FILE> --count --find --sum --delimiter --record-size --degree --no-cache --json --quiet")]
    [InlineData("serve", "--port --host --h2-port --transport --cert --key --tokens --insecure --max-file --max-request --max-total --leave-free --max-cached --min-rate")]
    [InlineData("serve", "--max-transfers --max-connections --grace --quiet --json --host-name --cors --public-url --max-message")]
    [InlineData("health", "--timeout <TIME> --quiet --json Examples:")]
    [InlineData("put", Transfer + " --gzip --no-cache --create-new --if-match <TAG> --no-verify --no-continue --connections <N> --limit-rate <SIZE> --all --checksum --no-times --perms --links")]
    [InlineData("get", Transfer + " --durability <none|commit> --gzip --no-cache --create-new --no-verify --no-continue --connections <N> --max-file <SIZE> --all --checksum --no-times --perms --links")]
    [InlineData("sync", Transfer + " --delete --backup-dir --max-delete --force --dry-run --include --exclude --exclude-from --checksum --no-times --perms --links --wait --watch --atomic --keep <N> --restore <TARGET> --exit-code")]
    [InlineData("ls", Transfer + " --recursive --long")]
    [InlineData("find", Transfer + " --long --limit <N>")]
    [InlineData("rm", Transfer + " --recursive --yes --if-match <TAG>")]
    [InlineData("mv", Transfer + " --replace")]
    [InlineData("mkdir", Transfer + " --parents")]
    public async Task Help_names_every_option_and_exit_code(string command, string expected)
    {
        string output = await SucceedAsync(command, "--help");
        string[] options = expected.Replace(" <", "\0<", StringComparison.Ordinal).Split(' ');

        Assert.All(options, option => Assert.Contains(option.Replace('\0', ' '), output, StringComparison.Ordinal));
        Assert.Contains("Exit codes:", output, StringComparison.Ordinal);
        Assert.Contains("130", output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("FILE", "scan")]
    [InlineData("--degree", "scan", "f", "--degree", "0")]
    [InlineData("--record-size", "scan", "f", "--record-size", "-1")]
    [InlineData("exclude", "scan", "f", "--record-size", "8", "--delimiter", ",")]
    [InlineData("--delimiter", "scan", "f", "--delimiter", "ab")]
    [InlineData("'words'", "scan", "f", "--count", "words")]
    [InlineData("--count records needs", "scan", "f", "--count", "records")]
    [InlineData("--count lines", "scan", "f", "--count", "lines", "--delimiter", ",")]
    [InlineData("--sum", "scan", "f", "--sum", "int64", "--find", "x")]
    [InlineData("'float'", "scan", "f", "--sum", "float")]
    [InlineData("--find", "scan", "f", "--find", "")]
    [InlineData("--find", "scan", "f", "--find", "a,b", "--delimiter", ",")]
    [InlineData("--find", "scan", "f", "--find", "abc", "--record-size", "2")]
    [InlineData("--find", "scan", "f", "--find", "abc", "--count", "bytes")]
    [InlineData("letters, digits", "token", "add", "a b")]
    [InlineData("'execute'", "token", "add", "one", "--scope", "execute")]
    [InlineData("'soon'", "token", "add", "one", "--for", "soon")]
    [InlineData("..", "token", "add", "one", "--prefix", "../x")]
    [InlineData("token 'one' does not exist", "token", "remove", "one")]
    [InlineData("--folder", "token", "list", "--folder", "missing")]
    [InlineData("--revoke-all", "link")]
    [InlineData("'never'", "link", "a", "--for", "never")]
    [InlineData("'host'", "link", "a", "--url", "host")]
    [InlineData("..", "link", "../a")]
    [InlineData("http://", "put", "x", "ftp://h/files/x")]
    [InlineData("'http2'", "put", "x", "http://h/files/x", "--via", "http3")]
    [InlineData("'grpc-web'", "ls", "http://h/files/", "--via", "grpcweb")]
    [InlineData("--gzip needs a gRPC protocol, and auto is none", "put", "x", "http://h/files/x", "--gzip")]
    [InlineData("--gzip needs a gRPC protocol, and http2 is none", "get", "http://h/files/x", "--gzip", "--via", "http2")]
    [InlineData("Add --via grpc or grpc-web or grpc-web-text", "get", "http://h/files/x", "--via", "tus", "--gzip")]
    [InlineData("--gzip", "ls", "http://h/files/", "--via", "grpc", "--gzip")]
    [InlineData("--max-file", "get", "http://h/files/x", "--max-file", "x")]
    [InlineData("--attempts", "get", "http://h/files/x", "--attempts", "0")]
    [InlineData("--connections", "get", "http://h/files/x", "--connections", "x")]
    [InlineData("--idle-timeout", "ls", "http://h/files/", "--idle-timeout", "never")]
    [InlineData("exclude each other", "ls", "http://h/files/", "--token", "a", "--token-file", "b")]
    [InlineData("exclude each other", "put", "x", "http://h/files/x", "--create-new", "--if-match", "a")]
    [InlineData("missing-token", "ls", "http://h/files/", "--token-file", "missing-token")]
    [InlineData("'host:80'", "health", "host:80")]
    [InlineData("--timeout", "health", "--timeout", "0")]
    [InlineData("--recursive", "rm", "http://h/files/x/")]
    [InlineData("--if-match", "rm", "http://h/files/x", "--if-match", "a b")]
    [InlineData("FILE... URL", "put", "x")]
    public async Task Wrong_arguments_are_named(string named, params string[] arguments)
    {
        (int exitCode, string output, string error) = await RunAsync(arguments);

        Assert.Equal(1, exitCode);
        Assert.Equal("", output);
        Assert.Contains(named, error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("serve: '--prot' is not an option of this command. Did you mean --port?", "serve", "share", "--prot", "8")]
    [InlineData("serve: '--nonsense' is not an option of this command.", "serve", "--nonsense=8")]
    [InlineData("serve: '8' is one argument too many.", "serve", "share", "8")]
    [InlineData("serve: Argument 'x' not recognized. Must be one of: 'native' 'portable'", "serve", "--names", "x")]
    [InlineData(": 'srve' is not a command. Did you mean serve?", "srve")]
    [InlineData(": 'b' is not a command.", "b")]
    [InlineData("token: 'ad' is not a command.", "token", "ad")]
    [InlineData("token add: 'two' is one argument too many.", "token", "add", "one", "two")]
    public async Task Usage_errors_have_three_lines(string problem, params string[] arguments)
    {
        (int exitCode, string output, string error) = await RunAsync(arguments);

        string command = $"millrace {problem[..problem.IndexOf(':', StringComparison.Ordinal)]}".TrimEnd();
        Assert.Equal((1, ""), (exitCode, output));
        string[] lines = error.Split('\n');
        Assert.Equal([$"{command}{problem[problem.IndexOf(':', StringComparison.Ordinal)..]}", $"See '{command} --help'.", ""], [lines[0], .. lines[2..]]);
        Assert.StartsWith($"Usage: {command} ", lines[1], StringComparison.Ordinal);
    }
}
