using System.Security.Cryptography;

namespace Millrace.Transfer.Tests.Peers;

/// <summary>What tests with servers of others share.</summary>
public abstract class ForeignServerTest : IDisposable
{
    private protected const string OddMessage = "Zugriff verweigert: 100 % Größe, 世界";

    private protected TemporaryFolder Here { get; } = new();

    private protected static TransferName Name(string text) => TransferName.Parse(text);

    protected static string Sha256Of(string path)
    {
        using FileStream file = File.OpenRead(path);
        return Convert.ToHexStringLower(SHA256.HashData(file));
    }

    /// <summary>Text that becomes smaller.</summary>
    protected static byte[] Text(int bytes)
    {
        byte[] text = new byte[bytes];
        for (int i = 0; i < bytes; i++)
        {
            text[i] = (byte)('a' + (i / 7 % 26));
        }

        return text;
    }

    public void Dispose()
    {
        Here.Dispose();
        GC.SuppressFinalize(this);
    }
}
