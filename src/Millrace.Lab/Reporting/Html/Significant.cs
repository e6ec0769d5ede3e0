using System.Globalization;

namespace Millrace.Lab.Reporting.Html;

/// <summary>Numbers with the digits that a reader of a report can use.</summary>
internal static class Significant
{
    /// <summary>Rounds to four significant digits.</summary>
    public static double Four(double value) =>
        double.Parse(value.ToString("G4", CultureInfo.InvariantCulture), CultureInfo.InvariantCulture);
}
