using Microsoft.AspNetCore.Http.Features;

namespace Millrace.Transfer.Server;

/// <summary>
/// The target of a request as the client wrote it. The server's own path has dot segments removed and most escapes decoded,
/// which is too late to distinguish <c>a%2Fb</c> from <c>a/b</c>.
/// </summary>
internal static class RawTarget
{
    /// <summary>The path: without scheme, authority and query.</summary>
    public static string PathOf(HttpContext context)
    {
        string raw = context.Features.Get<IHttpRequestFeature>()?.RawTarget ?? "";
        if (raw.Length == 0)
        {
            // A server that does not keep it.
            return context.Request.PathBase.Add(context.Request.Path).ToUriComponent();
        }

        int query = raw.IndexOf('?');
        string path = query < 0 ? raw : raw[..query];

        // The absolute form, which a proxy is sent (RFC 9112, section 3.2.2).
        int authority = path.StartsWith('/') ? -1 : path.IndexOf("://", StringComparison.Ordinal);
        if (authority < 0)
        {
            return path;
        }

        int slash = path.IndexOf('/', authority + 3);
        return slash < 0 ? "/" : path[slash..];
    }

    /// <summary>Puts a path in front of a target's path; a target without a path remains as it is.</summary>
    public static string Below(string prefix, string target)
    {
        if (target.StartsWith('/'))
        {
            return prefix + target;
        }

        int authority = target.IndexOf("://", StringComparison.Ordinal);
        int slash = authority < 0 ? -1 : target.IndexOf('/', authority + 3);
        return slash < 0 ? target : target.Insert(slash, prefix);
    }

    /// <summary>The part of a path after its first segments, with the slash before it, if those are as expected.</summary>
    public static bool TryCut(string path, string prefix, out string rest)
    {
        // As nearly every client writes it.
        if (path.StartsWith(prefix, StringComparison.Ordinal) && path.Length > prefix.Length && path[prefix.Length] == '/'
            && !prefix.Contains('%', StringComparison.Ordinal) && !prefix.Contains("//", StringComparison.Ordinal) && prefix is not [.., '/'])
        {
            rest = path[prefix.Length..];
            return true;
        }

        int at = 0;
        rest = "";
        foreach (string segment in prefix.Split('/', StringSplitOptions.RemoveEmptyEntries))
        {
            if (at >= path.Length || path[at] != '/')
            {
                return false;
            }

            int end = path.IndexOf('/', at + 1);
            end = end < 0 ? path.Length : end;

            // Routes match without regard to case. An encoded slash is the one thing that the server does not decode.
            string written = Uri.UnescapeDataString(path[(at + 1)..end]);
            if (!written.Equals(segment, StringComparison.OrdinalIgnoreCase)
                && !written.Equals(
                    segment.Replace("%2F", "/", StringComparison.OrdinalIgnoreCase), StringComparison.OrdinalIgnoreCase))
            {
                return false;
            }

            at = end;
        }

        rest = path[at..];
        return true;
    }
}
