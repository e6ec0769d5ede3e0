using System.Globalization;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Primitives;

namespace Millrace.Transfer.Server;

/// <summary>What answers say of an upload, and of the file that it became.</summary>
internal static class UploadAnswers
{
    /// <summary>How far the upload is, in the words of the request's protocol.</summary>
    public static void AddStatus(UploadCall call, UploadStatus status)
    {
        IHeaderDictionary headers = call.Response.Headers;
        headers[TransferHeaders.UploadOffset] = UploadCall.Text(status.Offset);
        if (call.IsTus)
        {
            headers[TransferHeaders.UploadExpires] = status.Expires.UtcDateTime.ToString("R", CultureInfo.InvariantCulture);
            return;
        }

        headers[TransferHeaders.UploadComplete] =
            status.Published is null ? UploadHeaders.False : UploadHeaders.True;
        headers[UploadHeaders.UploadLimit] = LimitOf(call, status);
    }

    /// <summary>What <c>Upload-Limit</c> says of an upload.</summary>
    public static string LimitOf(UploadCall call, UploadStatus status)
    {
        long seconds = Math.Max(0, (long)(status.Expires - call.Options.Clock.GetUtcNow()).TotalSeconds);
        string age = DraftVersion.SaysExpires(call.Request) ? "expires" : "max-age";
        return call.Store.MaxFileBytes is { } most
            ? $"max-size={most}, {age}={seconds}"
            : $"{age}={seconds}";
    }

    /// <summary>What the upload became: its version, its digest, where it is.</summary>
    public static void AddFile(UploadCall call, StoredFile file)
    {
        IHeaderDictionary headers = call.Response.Headers;
        headers.ETag = file.Tag.ToString();
        headers.ContentLocation = call.UrlOf(file.Name);
        if (file.Sha256 is { } digest)
        {
            headers[TransferHeaders.ReprDigest] = DigestField.Format(digest);
        }
    }

    /// <summary>What a server can do, for whoever asks before the first upload.</summary>
    public static void AddAbilities(HttpResponse response, IFileStore store)
    {
        IHeaderDictionary headers = response.Headers;
        headers[TransferHeaders.TusResumable] = UploadHeaders.Version;
        headers[UploadHeaders.TusVersion] = UploadHeaders.Version;
        headers[UploadHeaders.TusExtension] = UploadHeaders.Extensions;
        headers[UploadHeaders.TusChecksumAlgorithm] = TusChecksum.Algorithms;
        AddDraftAbilities(response, store);
        if (store.MaxFileBytes is { } most)
        {
            headers[UploadHeaders.TusMaxSize] = UploadCall.Text(most);
        }
    }

    /// <summary>The same for the draft alone, at URLs at which tus is not spoken.</summary>
    public static void AddDraftAbilities(HttpResponse response, IFileStore store)
    {
        response.Headers[UploadHeaders.AcceptPatch] =
            new StringValues($"{UploadHeaders.DraftMediaType}, {UploadHeaders.TusMediaType}");
        if (store.MaxFileBytes is { } most)
        {
            response.Headers[UploadHeaders.UploadLimit] = $"max-size={most}";
        }
    }
}
