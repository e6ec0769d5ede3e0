using System.CommandLine;
using Millrace.Transfer;
using Millrace.Transfer.S3;
using Millrace.Transfer.Server;

namespace Millrace.Cli;

/// <summary>The options of `millrace serve` about a bucket, which <c>s3://BUCKET/PREFIX</c> names instead of a folder.</summary>
internal sealed class BucketOptionSet
{
    private readonly BucketConnection _connection = new();

    private readonly Option<long?> _partBytes = SizeArgument.Option(
        "--s3-part-size", "Write large files in parts of exactly this size, 5M to 5G (default: 8M, more for files over 80 GB).",
        5L << 20, 5L << 30, "5M to 5G");

    private readonly Option<bool> _redirects = new("--s3-redirect")
    {
        Description = "Send clients that ask for it (Prefer: redirect) to the bucket itself for downloads.",
    };

    public Option<bool> Tokens { get; } = new("--s3-tokens")
    {
        Description = "Read the tokens from the bucket, where 'millrace token add --folder s3://…' keeps them.",
    };

    public void AddTo(Command command, Argument<string> served, params ReadOnlySpan<Option> folderOnly)
    {
        Option[] own = [.. _connection.All, _partBytes, _redirects, Tokens];
        Option[] others = folderOnly.ToArray();
        command.Add(own);
        command.Validators.Add(result =>
        {
            string? text = result.GetResult(served)?.Tokens is [var token, ..] ? token.Value : null;
            bool isBucket = BucketConnection.IsBucket(text);
            if (isBucket && !BucketConnection.TryParse(text!, out _, out _))
            {
                result.AddError(BucketConnection.Problem(text!));
            }

            foreach (Option option in isBucket ? others : own)
            {
                if (result.GetResult(option) is { Implicit: false })
                {
                    result.AddError(isBucket
                        ? $"{option.Name} applies to folders only; leave it out for a bucket."
                        : $"{option.Name} is for a bucket; name one as s3://BUCKET/PREFIX instead of a folder.");
                }
            }
        });
    }

    /// <returns>Null for a folder.</returns>
    public S3FileStoreOptions? Read(ParseResult parsed, string served, LocalFileStoreOptions limits)
    {
        if (!BucketConnection.IsBucket(served))
        {
            return null;
        }

        S3FileStoreOptions options = _connection.Read(parsed, served);
        options.PartBytes = parsed.GetValue(_partBytes);
        options.Redirects = parsed.GetValue(_redirects);
        options.Names = limits.Names;
        options.MaxFileBytes = limits.MaxFileBytes;
        options.MaxTotalBytes = limits.MaxTotalBytes;
        options.TrashLifetime = limits.TrashLifetime;
        options.MaxTrashBytes = limits.MaxTrashBytes;
        options.MaxUploadsPerCaller = limits.MaxUploadsPerCaller;
        options.MaxUploads = limits.MaxUploads;
        return options;
    }
}
