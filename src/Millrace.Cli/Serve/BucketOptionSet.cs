using System.CommandLine;
using System.CommandLine.Parsing;
using Millrace.Transfer;
using Millrace.Transfer.S3;
using Millrace.Transfer.Server;

namespace Millrace.Cli;

/// <summary>The options of `millrace serve` about a bucket, which <c>s3://BUCKET/PREFIX</c> names instead of a folder.</summary>
internal sealed class BucketOptionSet
{
    private const string Scheme = "s3://";
    private const long MinPartBytes = 5L << 20;
    private const long MaxPartBytes = 5L << 30;

    private readonly Option<string?> _endpoint = new("--s3-endpoint")
    {
        Description = "Use the S3 service at this URL instead of AWS, such as http://localhost:9000.",
        HelpName = "URL",
    };

    private readonly Option<string?> _region = new("--s3-region")
    {
        Description = "Use this region (default: from the environment or the profile; us-east-1 with --s3-endpoint).",
        HelpName = "NAME",
    };

    private readonly Option<bool> _pathStyle = new("--s3-path-style")
    {
        Description = "Put the bucket in the path of URLs instead of the host name, as most services other than AWS need it.",
    };

    private readonly Option<string?> _partBytes = new("--s3-part-size")
    {
        Description = "Write large files in parts of exactly this size, 5M to 5G (default: 8M, more for files over 80 GB).",
        HelpName = "SIZE",
    };

    private readonly Option<bool> _redirects = new("--s3-redirect")
    {
        Description = "Send clients that ask for it (Prefer: redirect) to the bucket itself for downloads.",
    };

    public BucketOptionSet()
    {
        _endpoint.Validators.Add(result =>
        {
            string text = TextOf(result);
            if (!Uri.TryCreate(text, UriKind.Absolute, out Uri? url) || url.Scheme is not ("http" or "https") || url.UserInfo.Length > 0)
            {
                result.AddError($"--s3-endpoint: '{text}' is not a valid URL; use a scheme and a host, as in https://s3.example.org.");
            }
        });
        _partBytes.Validators.Add(result =>
        {
            string text = TextOf(result);
            if (!SizeArgument.TryParse(text, out long bytes))
            {
                result.AddError(SizeArgument.Problem("--s3-part-size", text));
            }
            else if (bytes is < MinPartBytes or > MaxPartBytes)
            {
                result.AddError($"--s3-part-size: S3 accepts parts of 5M to 5G, and '{text}' is neither.");
            }
        });
    }

    /// <summary>Whether what is to be served is a bucket.</summary>
    public static bool IsBucket(string? served) => served?.StartsWith(Scheme, StringComparison.OrdinalIgnoreCase) == true;

    public void AddTo(Command command, Argument<string> served, params ReadOnlySpan<Option> folderOnly)
    {
        Option[] own = [_endpoint, _region, _pathStyle, _partBytes, _redirects];
        Option[] others = folderOnly.ToArray();
        foreach (Option option in own)
        {
            command.Options.Add(option);
        }

        command.Validators.Add(result =>
        {
            string? text = result.GetResult(served)?.Tokens is [var token, ..] ? token.Value : null;
            bool isBucket = IsBucket(text);
            if (isBucket && !TryParse(text!, out _, out _))
            {
                result.AddError($"'{text}' does not name a bucket; use s3://BUCKET or s3://BUCKET/PREFIX.");
            }

            foreach (Option option in isBucket ? others : own)
            {
                if (result.GetResult(option) is { Implicit: false })
                {
                    result.AddError(isBucket
                        ? $"{option.Name} is about a folder's device, and a bucket has none; leave it out."
                        : $"{option.Name} is for a bucket; name one as s3://BUCKET/PREFIX instead of a folder.");
                }
            }
        });
    }

    /// <returns>Null for a folder.</returns>
    public S3FileStoreOptions? Read(ParseResult parsed, string served, LocalFileStoreOptions limits)
    {
        if (!IsBucket(served) || !TryParse(served, out string bucket, out string prefix))
        {
            return null;
        }

        return new S3FileStoreOptions
        {
            Bucket = bucket,
            Prefix = prefix,
            Endpoint = parsed.GetValue(_endpoint) is { } url ? new Uri(url) : null,
            Region = parsed.GetValue(_region),
            PathStyle = parsed.GetValue(_pathStyle),
            PartBytes = SizeArgument.TryParse(parsed.GetValue(_partBytes), out long bytes) ? bytes : null,
            Redirects = parsed.GetValue(_redirects),
            MaxFileBytes = limits.MaxFileBytes,
            MaxTotalBytes = limits.MaxTotalBytes,
            MaxUploadsPerCaller = limits.MaxUploadsPerCaller,
            MaxUploads = limits.MaxUploads,
        };
    }

    private static bool TryParse(string text, out string bucket, out string prefix)
    {
        string[] parts = text[Scheme.Length..].Split('/', 2);
        bucket = parts[0];
        prefix = parts.Length > 1 ? parts[1].TrimEnd('/') : "";
        return bucket.Length > 0
            && bucket.All(static character => char.IsAsciiLetterOrDigit(character) || character is '-' or '.' or '_')
            && (prefix.Length == 0 || TransferName.TryParse(prefix, out _));
    }

    private static string TextOf(OptionResult result) => result.Tokens.Count > 0 ? result.Tokens[0].Value : "";
}
