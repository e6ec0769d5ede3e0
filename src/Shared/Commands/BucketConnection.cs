using System.CommandLine;
using System.CommandLine.Parsing;
using Millrace.Transfer;
using Millrace.Transfer.S3;

namespace Millrace.Cli;

/// <summary>The options that say how a bucket is reached, which <c>s3://BUCKET/PREFIX</c> names.</summary>
internal sealed class BucketConnection
{
    private const string Scheme = "s3://";

    private readonly Option<Uri?> _endpoint = ParsedOption.Url(
        "--s3-endpoint", "Use the S3 service at this URL instead of AWS, such as http://localhost:9000.", "https://s3.example.org", static _ => null);

    private readonly Option<string?> _region = new("--s3-region")
    {
        Description = "Use this region (default: from the environment or the profile; us-east-1 with --s3-endpoint).",
        HelpName = "NAME",
    };

    private readonly Option<bool> _pathStyle = new("--s3-path-style")
    {
        Description = "Put the bucket in the path of URLs instead of the host name, as most services other than AWS need it.",
    };

    public IReadOnlyList<Option> All => [_endpoint, _region, _pathStyle];

    /// <summary>Whether a text names a bucket and not a folder.</summary>
    public static bool IsBucket(string? text) => text?.StartsWith(Scheme, StringComparison.OrdinalIgnoreCase) == true;

    public static bool TryParse(string text, out string bucket, out string prefix)
    {
        string[] parts = text[Scheme.Length..].Split('/', 2);
        bucket = parts[0];
        prefix = parts.Length > 1 ? parts[1].TrimEnd('/') : "";
        return bucket.Length > 0
            && bucket.All(static character => char.IsAsciiLetterOrDigit(character) || character is '-' or '.' or '_')
            && (prefix.Length == 0 || TransferName.TryParse(prefix, out _));
    }

    public static string Problem(string text) => $"'{text}' does not name a bucket; use s3://BUCKET or s3://BUCKET/PREFIX.";

    /// <param name="parsed">With the options.</param>
    /// <param name="text">What names the bucket.</param>
    /// <exception cref="TransferException">It does not.</exception>
    public S3FileStoreOptions Read(ParseResult parsed, string text) => TryParse(text, out string bucket, out string prefix)
        ? new S3FileStoreOptions
        {
            Bucket = bucket,
            Prefix = prefix,
            Endpoint = parsed.GetValue(_endpoint),
            Region = parsed.GetValue(_region),
            PathStyle = parsed.GetValue(_pathStyle),
        }
        : throw new TransferException(TransferError.InvalidRequest, Problem(text));

    public static string TextOf(OptionResult result) => result.Tokens.Count > 0 ? result.Tokens[0].Value : "";
}
