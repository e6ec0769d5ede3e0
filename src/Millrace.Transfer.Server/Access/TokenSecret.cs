using System.Buffers.Text;
using System.Text;

namespace Millrace.Transfer.Server;

/// <summary>The secret of a token: <c>mr_</c> and 256 random bits in base64url.</summary>
/// <remarks>
/// It is stored as one SHA-256, without salt and without a slow function: those slow down the guessing of
/// passwords. 256 random bits cannot be guessed, and a slow hash on every request would only help an attacker to keep a server busy.
/// </remarks>
internal static class TokenSecret
{
    private const string Prefix = "mr_";
    private const int RandomBytes = 32;

    public static string Next()
    {
        Span<byte> random = stackalloc byte[RandomBytes];
        RandomNumberGenerator.Fill(random);
        return Prefix + Base64Url.EncodeToString(random);
    }

    public static byte[] Hash(string secret) => SHA256.HashData(Encoding.UTF8.GetBytes(secret));
}
