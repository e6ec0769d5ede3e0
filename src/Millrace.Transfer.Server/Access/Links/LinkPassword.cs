using System.Text;
using System.Text.Json.Serialization;

namespace Millrace.Transfer.Server;

/// <summary>The password of a link: a slow hash of it, because people choose passwords that can be guessed.</summary>
internal sealed record LinkPassword
{
    public const int MaxCharacters = 256;

    /// <summary>PBKDF2 with HMAC-SHA-256, as often as OWASP's Password Storage Cheat Sheet asks for.</summary>
    /// <remarks>https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html#pbkdf2</remarks>
    public const int CurrentRounds = 600_000;

    /// <summary>A stored number above this would keep a server busy.</summary>
    private const int MaxRounds = 10_000_000;

    private const int SaltBytes = 16;

    [JsonPropertyName("salt")]
    public string Salt { get; set; } = "";

    [JsonPropertyName("pbkdf2Sha256")]
    public string Hash { get; set; } = "";

    [JsonPropertyName("rounds")]
    public int Rounds { get; set; }

    [JsonIgnore]
    public bool IsComplete => Rounds is >= 1 and <= MaxRounds && Hash is { Length: > 0 }
        && Salt is { Length: > 0 } && Convert.TryFromBase64String(Salt, stackalloc byte[64], out _);

    public static LinkPassword Of(string password)
    {
        byte[] salt = RandomNumberGenerator.GetBytes(SaltBytes);
        return new LinkPassword { Salt = Convert.ToBase64String(salt), Hash = Derive(password, salt, CurrentRounds), Rounds = CurrentRounds };
    }

    /// <summary>Takes about a fifth of a second of a processor.</summary>
    public bool Is(string password) => CryptographicOperations.FixedTimeEquals(
        Encoding.ASCII.GetBytes(Derive(password, Convert.FromBase64String(Salt), Rounds)), Encoding.ASCII.GetBytes(Hash));

    private static string Derive(string password, byte[] salt, int rounds) => Convert.ToBase64String(
        Rfc2898DeriveBytes.Pbkdf2(password.Normalize(NormalizationForm.FormC), salt, rounds, HashAlgorithmName.SHA256, SHA256.HashSizeInBytes));
}
