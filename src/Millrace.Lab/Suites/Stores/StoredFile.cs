using Millrace.Lab.Suites.Serving;
using Millrace.Transfer;

namespace Millrace.Lab.Suites.Stores;

/// <summary>The client's end: Millrace's client in this process, or rclone.</summary>
internal sealed class StoredFile(StoreCase planned) : CaseMethod
{
    private TransferClient? _client;

    public override Func<long> Find(string name) => planned.UsesProgram ? RunProgram : Wait(MoveAsync);

    public override void Dispose()
    {
        base.Dispose();
        _client?.Dispose();
    }

    private long RunProgram()
    {
        bool isChecked = planned.Method != StoreMethod.RcloneUnchecked;
        if (planned.IsUpload)
        {
            RcloneProgram.Upload(planned.Bucket, planned.Source.Path, planned.ObjectName, isChecked, inParts: planned.Method != StoreMethod.RcloneOnePut);
        }
        else
        {
            RcloneProgram.Download(planned.Bucket, planned.ObjectName, planned.Downloaded, isChecked);
        }

        return planned.Source.Bytes;
    }

    // rclone does not wait for the device either.
    private async ValueTask<long> MoveAsync()
    {
        _client ??= new TransferClient(
            BucketServer.Find(planned.Server), new TransferClientOptions
            {
                Durability = Durability.None,
                FollowRedirects = planned.Method == StoreMethod.MillraceRedirected,
            });
        TransferName name = TransferName.Parse(planned.ObjectName);
        TransferResult result = planned.IsUpload
            ? await _client.PutAsync(planned.Source.Path, name).ConfigureAwait(false)
            : await _client.GetAsync(name, planned.Downloaded).ConfigureAwait(false);
        if (result.Attempts != 1 || result.Sha256 is null)
        {
            throw new IOException($"{name} took {result.Attempts} attempts and has the digest {result.Sha256}: not the measured transfer.");
        }

        if (DescribesItself)
        {
            Description = result.Protocol.ToString();
        }

        return result.Length;
    }
}

/// <summary>rclone (https://rclone.org/s3/), with the settings that were the fastest: docs/lab-stores.md.</summary>
internal static class RcloneProgram
{
    private const string Name = "rclone";

    /// <summary>Why it cannot be used; null when it can.</summary>
    public static string? WhyNot => Installed.WhyNot(Name, package: Name);

    /// <param name="isChecked">Whether it computes MD5 and stores it.</param>
    /// <param name="inParts">Whether it sends four parts at a time, or one request.</param>
    public static void Upload(LabBucket bucket, string path, string name, bool isChecked, bool inParts) => Run(
        bucket,
        [
            "copyto", path, UrlOf(bucket, name),
            .. inParts ? (ReadOnlySpan<string>)["--s3-chunk-size", "16M", "--s3-upload-concurrency", "4"] : ["--s3-upload-cutoff", "5G"],
            .. isChecked ? (ReadOnlySpan<string>)[] : ["--s3-disable-checksum"],
        ]);

    /// <param name="isChecked">Whether it compares the written bytes with the MD5 that it has stored.</param>
    public static void Download(LabBucket bucket, string name, string path, bool isChecked) =>
        Run(bucket, ["copyto", UrlOf(bucket, name), path, "--buffer-size", "64M", .. isChecked ? (ReadOnlySpan<string>)[] : ["--ignore-checksum"]]);

    // A remote that only the environment describes.
    private static string UrlOf(LabBucket bucket, string name) => $"lab:{bucket.Bucket}/{bucket.OwnPrefix}/{name}";

    private static void Run(LabBucket bucket, string[] arguments)
    {
        var start = new ProcessStartInfo(Installed.Find(Name)!, [.. arguments, "--config", "/dev/null", "--retries", "1"])
        {
            UseShellExecute = false,
            RedirectStandardError = true,
        };
        IDictionary<string, string?> environment = start.Environment;
        environment["RCLONE_CONFIG_LAB_TYPE"] = "s3";
        environment["RCLONE_CONFIG_LAB_PROVIDER"] = bucket.Endpoint is null ? "AWS" : "Other";
        environment["RCLONE_CONFIG_LAB_ENV_AUTH"] = "true";
        environment["RCLONE_CONFIG_LAB_ENDPOINT"] = bucket.Endpoint?.AbsoluteUri ?? "";
        environment["RCLONE_CONFIG_LAB_REGION"] = bucket.Region ?? "";
        environment["RCLONE_CONFIG_LAB_FORCE_PATH_STYLE"] = bucket.PathStyle ? "true" : "false";
        environment["RCLONE_CONFIG_LAB_NO_CHECK_BUCKET"] = "true";
        using Process process = Process.Start(start)!;
        string errors = process.StandardError.ReadToEnd();
        process.WaitForExit();
        if (process.ExitCode != 0)
        {
            throw new IOException($"rclone {arguments[0]} failed: {errors}");
        }
    }
}
