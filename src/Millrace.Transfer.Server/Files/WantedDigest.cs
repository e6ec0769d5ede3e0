using System.Globalization;
using Microsoft.Extensions.Primitives;

namespace Millrace.Transfer.Server;

/// <summary>The field <c>Want-Repr-Digest</c> (RFC 9530, section 4): which digest is wanted how much, from 0 to 10.</summary>
internal static class WantedDigest
{
    /// <summary>How much effort a digest is worth; null when it is not wanted at all.</summary>
    /// <remarks>What cannot be read is passed over, as the section wants it.</remarks>
    public static DigestNeed? Need(StringValues field)
    {
        DigestNeed? need = DigestNeed.IfCheap;
        foreach (string? line in field)
        {
            foreach (string member in (line ?? "").Split(','))
            {
                int equals = member.IndexOf('=');
                string key = (equals < 0 ? member : member[..equals]).Trim();
                if (key is not "sha-256")
                {
                    continue;
                }

                string preference = equals < 0 ? "" : member[(equals + 1)..].Split(';')[0].Trim();
                if (int.TryParse(preference, NumberStyles.None, CultureInfo.InvariantCulture, out int weight)
                    && weight <= 10)
                {
                    need = weight == 0 ? null : DigestNeed.Always;
                }
            }
        }

        return need;
    }
}
