namespace Millrace.Lab.Advising;

/// <summary>Breaks text into lines.</summary>
internal static class TextWrap
{
    /// <summary>Breaks at spaces; a word longer than the width has a line of its own, uncut, so that it can be copied.</summary>
    public static IEnumerable<string> Lines(string text, int width)
    {
        string line = "";
        foreach (string word in text.Split((char[])[' ', '\n'], StringSplitOptions.RemoveEmptyEntries))
        {
            if (line.Length > 0 && line.Length + 1 + word.Length > width)
            {
                yield return line;
                line = word;
            }
            else
            {
                line = line.Length == 0 ? word : $"{line} {word}";
            }
        }

        yield return line;
    }
}
