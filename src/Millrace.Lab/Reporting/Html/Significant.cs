using System.Globalization;

namespace Millrace.Lab.Reporting.Html;

/// <summary>Numbers with the digits that a reader of a report can use.</summary>
internal static class Significant
{
    // 2^53: up to here a double has every whole number.
    private const double MaxExact = 9007199254740992;

    /// <summary>Rounds to four significant digits; whole numbers, of which a count or a size may be one, stay exact.</summary>
    public static double Four(double value) =>
        double.IsInteger(value) && Math.Abs(value) < MaxExact
            ? value
            : double.Parse(value.ToString("G4", CultureInfo.InvariantCulture), CultureInfo.InvariantCulture);
}
