using System.Globalization;
using Millrace.Transfer.Server.Tests.Child;

switch (args)
{
    case ["upload", var folder, var seed]:
        await KilledUploading.RunAsync(folder, int.Parse(seed, CultureInfo.InvariantCulture));
        return 0;
    default:
        await Console.Error.WriteLineAsync($"Not a command: {string.Join(' ', args)}");
        return 2;
}
