using System.Globalization;
using System.Text;

namespace Millrace.Lab.Reporting.Html;

/// <summary>A list of mostly equal neighbours as JSON: [value, how often, value, how often, …].</summary>
internal static class RunLengths
{
    /// <summary>Writes it.</summary>
    public static string Of(IReadOnlyList<int> values)
    {
        var text = new StringBuilder("[");
        int start = 0;
        for (int i = 1; i <= values.Count; i++)
        {
            if (i == values.Count || values[i] != values[start])
            {
                text.Append(CultureInfo.InvariantCulture, $"{(start == 0 ? "" : ",")}{values[start]},{i - start}");
                start = i;
            }
        }

        return text.Append(']').ToString();
    }
}
