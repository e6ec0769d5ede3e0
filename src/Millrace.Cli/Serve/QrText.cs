using System.Collections;
using System.Text;
using QRCoder;

namespace Millrace.Cli;

/// <summary>QR codes as characters, two rows of modules in a line.</summary>
internal static class QrText
{
    // Black on white whatever the terminal's colours are: not all readers take an inverted code.
    private const string BlackOnWhite = "\e[38;5;16;48;5;231m";
    private const string Reset = "\e[0m";

    /// <param name="text">The text to encode.</param>
    /// <param name="colours">Whether the output takes ANSI's colours; without them, light modules are blocks, for a dark background.</param>
    public static string Of(string text, bool colours)
    {
        using var generator = new QRCodeGenerator();
        using QRCodeData code = generator.CreateQrCode(text, QRCodeGenerator.ECCLevel.L);
        List<BitArray> rows = code.ModuleMatrix;
        var lines = new StringBuilder();

        // The library's margin is four modules; two are enough on a screen.
        for (int row = 2; row < rows.Count - 2; row += 2)
        {
            lines.Append(colours ? BlackOnWhite : "");
            for (int column = 2; column < rows.Count - 2; column++)
            {
                bool upper = rows[row][column] == colours;
                bool lower = (row + 1 < rows.Count - 2 && rows[row + 1][column]) == colours;
                lines.Append(upper ? (lower ? '█' : '▀') : lower ? '▄' : ' ');
            }

            lines.Append(colours ? Reset : "").AppendLine();
        }

        return lines.ToString();
    }
}
