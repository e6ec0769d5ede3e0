using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;
using Millrace.Transfer.Server;

namespace Millrace.Cli.Serve;

/// <summary>The options of `millrace serve` about gRPC and gRPC-Web.</summary>
internal sealed class GrpcOptionSet
{
    private const string AllOrigins = "*";
    private const int MinMessageBytes = 64 * 1024;

    private readonly Option<string[]> _origins = new("--cors")
    {
        Description = "An origin whose pages may call by gRPC-Web, as https://app.example.org, or * for all; can be repeated.",
        HelpName = "ORIGIN",
    };

    private readonly Option<string?> _maxMessage = new("--max-message")
    {
        Description = "Bytes of a message of gRPC that is accepted (16M).",
        HelpName = "SIZE",
    };

    public GrpcOptionSet()
    {
        _origins.Validators.Add(CheckOrigins);
        _maxMessage.Validators.Add(CheckMaxMessage);
    }

    /// <summary>Adds them.</summary>
    public void AddTo(Command command)
    {
        command.Options.Add(_origins);
        command.Options.Add(_maxMessage);
    }

    /// <summary>Takes what was given.</summary>
    public GrpcServerOptions Read(ParseResult parsed) => new()
    {
        AllowedOrigins = [.. parsed.GetValue(_origins) ?? []],
        MaxMessageBytes = SizeArgument.TryParse(parsed.GetValue(_maxMessage), out long bytes)
            ? (int)bytes
            : GrpcServerOptions.DefaultMaxMessageBytes,
    };

    private void CheckOrigins(OptionResult result)
    {
        foreach (string text in result.Tokens.Select(token => token.Value))
        {
            if (text != AllOrigins && !IsOrigin(text))
            {
                result.AddError(
                    $"--cors '{text}' is no origin. An origin is a scheme and a host, and a port where it has one, as in https://app.example.org, or * for all.");
            }
        }

        if (result.Tokens.Count > 1 && result.Tokens.Any(token => token.Value == AllOrigins))
        {
            result.AddError("--cors '*' is all origins; leave the others out.");
        }
    }

    // What browsers send is compared as it is, so a slash at the end or a capital letter would never match.
    private static bool IsOrigin(string text) =>
        Uri.TryCreate(text, UriKind.Absolute, out Uri? origin)
        && origin.Scheme is "http" or "https"
        && text == origin.GetLeftPart(UriPartial.Authority)
        && origin.UserInfo.Length == 0;

    private void CheckMaxMessage(OptionResult result)
    {
        string text = result.Tokens.Count > 0 ? result.Tokens[0].Value : "";
        if (!SizeArgument.TryParse(text, out long bytes))
        {
            result.AddError($"--max-message '{text}' is no number of bytes. Write {SizeArgument.Examples}.");
        }
        else if (bytes is < MinMessageBytes or > int.MaxValue)
        {
            result.AddError(string.Create(
                CultureInfo.InvariantCulture,
                $"--max-message takes {MinMessageBytes} (64K) to {int.MaxValue} bytes, and '{text}' is {bytes}."));
        }
    }
}
