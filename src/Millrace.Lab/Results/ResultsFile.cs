using System.Text.Json;

namespace Millrace.Lab.Results;

/// <summary>Reads and writes results.json.</summary>
public static class ResultsFile
{
    /// <summary>The file's name within an output folder.</summary>
    public const string Name = "results.json";

    /// <summary>Writes results so that a reader sees the old file or the new one, never a part.</summary>
    public static void Write(string path, LabResults results)
    {
        string temporary = path + ".tmp";
        using (FileStream stream = File.Create(temporary))
        {
            JsonSerializer.Serialize(stream, results, ResultsJson.Readable.LabResults);
        }

        File.Move(temporary, path, overwrite: true);
    }

    /// <summary>Reads results.</summary>
    /// <exception cref="LabException">It is no results file, damaged, or of another schema.</exception>
    public static LabResults Read(string path)
    {
        try
        {
            using FileStream stream = File.OpenRead(path);
            LabResults results = JsonSerializer.Deserialize(stream, ResultsJson.Default.LabResults)
                ?? throw new LabException($"{path} holds no results.");
            return results.Schema == LabResults.CurrentSchema
                ? results
                : throw new LabException(
                    $"{path} has the schema \"{results.Schema}\"; this version reads \"{LabResults.CurrentSchema}\".");
        }
        catch (JsonException exception)
        {
            throw new LabException($"{path} is damaged at {exception.Path}: {exception.Message}", exception);
        }
        catch (IOException exception)
        {
            throw new LabException($"{path} cannot be read: {exception.Message}", exception);
        }
    }
}
